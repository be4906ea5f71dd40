"""Rotors left out of a robot, or put into the joints that they drive: Chignoli et al. (2023), section VI-C."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import screwgraph as sg
from screwgraph.model.robot import Coupling, sort_robot, without_loops

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "robots" / "closed_chain"
"""Robots of generalized_rbda, where they are here."""


def without_rotors(robot: sg.Robot, reflected: bool) -> sg.Robot:
    """Return the tree without the bodies that couplings drive; or with their inertia on what they are geared to.

    Reflected is gear ratio squared times the inertia about the axis, on the outermost joint of the coupling, as an
    armature: that the rotor of a belt turns with two joints, and on a third body, is lost. Rotors of differentials are
    lost as a whole: they have no gear ratio to one joint.
    """
    driven = set(robot.joint_names) - set(robot.independent_joints)
    armature = dict.fromkeys(robot.joint_names, 0.0)
    for coupling in robot.couplings if reflected else ():
        rotors = driven & set(coupling.joints)
        if coupling.is_linear and len(rotors) == 1:
            (rotor,) = rotors
            armature[_outermost(robot, coupling, rotor)] += _reflected(robot, coupling, rotor)
    gone = {robot.joint(name).child for name in driven}
    joints = [replace(j, armature=j.armature + armature[j.name]) for j in robot.joints if j.name not in driven]
    links = tuple(link for link in robot.links if link.name not in gone)
    frames = tuple(frame for frame in robot.frames if frame.link not in gone)
    return sort_robot(replace(without_loops(robot), links=links, joints=tuple(joints), frames=frames))


def _outermost(robot: sg.Robot, coupling: Coupling, rotor: str) -> str:
    return max((name for name in coupling.joints if name != rotor), key=robot.joint_names.index)


def _reflected(robot: sg.Robot, coupling: Coupling, rotor: str) -> float:
    """Return the rotor's inertia (kg m^2) about its axis, as its outermost driven joint feels it."""
    joint = robot.joint(rotor)
    (A,) = joint.type.screw_axes(joint.type.manifold.identity()).T
    gear = coupling.terms[_outermost(robot, coupling, rotor)] / coupling.terms[rotor]
    return float(gear**2 * (A @ robot.link(joint.child).inertia.matrix() @ A))
