"""The factor graph of a robot's motion: poses, twists, accelerations of links and frames.

Poses of links and frames are determined by positions alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.graph.factor import Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import acceleration, frame_pose, pose, prior, twist
from screwgraph.graph.variable import Key, Variable, vector_variable
from screwgraph.model.robot import Frame, Joint, Link, Robot
from screwgraph.model.robot.joints import Fixed
from screwgraph.spatial import inverse, to_rows

DERIVATIVES = (0, 1, 2)
"""Of positions by time: those of poses, twists, accelerations."""


@check_arguments
def kinematics_graph(robot: Robot, frames: Sequence[str], derivatives: int = 0) -> FactorGraph:
    """Make the variables and factors of how links and frames of a robot move; no forces, no constraints of loops.

    Variables: `pose` of each frame and of the links that carry it, three rows of T in the base's frame one by one; with
    1 derivative `twist`, with 2 `acceleration`, in the links' own frames; `q`, `qd`, `qdd` of the joints on the way.

    Raises:
        InputError: no link or frame has one of the names, or there are other derivatives than 0, 1, 2.
    """
    if derivatives not in DERIVATIVES or isinstance(derivatives, bool):
        raise InputError(f"{derivatives!r} derivatives", fix="0 for poses, 1 for twists, 2 for accelerations")
    welded = _weld_frames(robot, [robot.frame(name) for name in frames])
    variables, factors = make_pose_variables(welded, frames)
    links = {v.key.name for v in variables}
    for joint in (joint for joint in welded.joints if joint.child in links):
        variables += _of_joint(welded, joint, derivatives)
        factors += _laws(welded, joint, derivatives)
    base = welded.links[0].name
    for kind in ("twist", "acceleration")[:derivatives]:
        variables.append(vector_variable(kind, base, 6, 0, None))
        factors.append(Factor(prior, {"x": Key(kind, base)}, 6, 0, {"value": np.zeros(6)}))
    return FactorGraph({v.key: v for v in variables}, tuple(factors))


def make_pose_variables(robot: Robot, names: Sequence[str]) -> tuple[list[Variable], list[Factor]]:
    """Return the variables `pose` of links and frames, of all links that carry them, and the laws between them.

    A base whose frame a pass moved stands where its old frame is the world's.

    Raises:
        InputError: no link or frame has one of the names.
    """
    if not names:
        return [], []
    frames, base = [robot.frame(name) for name in names], robot.links[0].name
    carriers = {joint.child for frame in frames for joint in robot.joints_to_base(frame.link)}
    variables = [vector_variable("pose", base, 12, 0, None)]
    start = to_rows(inverse(robot.frame(base).T_lf))
    factors = [Factor(prior, {"x": Key("pose", base)}, 12, 0, {"value": start})]
    for joint in (joint for joint in robot.joints if joint.child in carriers):
        index, parent = robot.link_index(joint.child), robot.link_index(joint.parent)
        T, T_parent, q = Key("pose", joint.child), Key("pose", joint.parent), Key("q", joint.name)
        variables.append(vector_variable(*T, 12, index, parent))
        factors.append(Factor(pose, {"T": T, "T_parent": T_parent, "q": q}, 12, index, {"joint": joint}))
    made = {variable.key for variable in variables}
    for frame in (frame for frame in frames if Key("pose", frame.name) not in made):
        index, key = robot.link_index(frame.link), Key("pose", frame.name)
        variables.append(vector_variable(*key, 12, index, index))
        bound = {"T_frame": key, "T_link": Key("pose", frame.link)}
        factors.append(Factor(frame_pose, bound, 12, index, {"T": frame.T_lf}))
    return variables, factors


def _weld_frames(robot: Robot, frames: Sequence[Frame]) -> Robot:
    """Return a robot with a massless link at each frame that is none."""
    new = [frame for frame in dict.fromkeys(frames) if frame.name not in {link.name for link in robot.links}]
    joints = [Joint(_free(robot, frame.name), Fixed(), frame.link, frame.name, frame.T_lf) for frame in new]
    links = (*robot.links, *(Link(frame.name) for frame in new))
    return replace(robot, links=links, joints=(*robot.joints, *joints), loops=(), couplings=())


def _free(robot: Robot, name: str) -> str:
    """Return a name that no joint has: frames may be called as joints are."""
    while name in robot.joint_names:
        name += "*"
    return name


def _of_joint(robot: Robot, joint: Joint, derivatives: int) -> list[Variable]:
    index, parent = robot.link_index(joint.child), robot.link_index(joint.parent)
    found = [Variable(Key("q", joint.name), joint.type.nq, index, parent, joint.type.manifold)]
    for kind in ("qd", "qdd")[:derivatives]:
        found.append(vector_variable(kind, joint.name, joint.type.nv, index, parent))
    for kind in ("twist", "acceleration")[:derivatives]:
        found.append(vector_variable(kind, joint.child, 6, index, parent))
    return found


def _laws(robot: Robot, joint: Joint, derivatives: int) -> list[Factor]:
    q, qd, qdd = (Key(kind, joint.name) for kind in ("q", "qd", "qdd"))
    V, V_parent = Key("twist", joint.child), Key("twist", joint.parent)
    Vdot, Vdot_parent = Key("acceleration", joint.child), Key("acceleration", joint.parent)
    velocity = {"V": V, "V_parent": V_parent, "q": q, "qd": qd}
    accelerating = {"Vdot": Vdot, "Vdot_parent": Vdot_parent, "V": V, "q": q, "qd": qd, "qdd": qdd}
    laws = ((twist, velocity), (acceleration, accelerating))[:derivatives]
    index = robot.link_index(joint.child)
    return [Factor(template, arguments, 6, index, {"joint": joint}) for template, arguments in laws]
