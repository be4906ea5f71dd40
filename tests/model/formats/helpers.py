"""What tests of file formats share: writing a file and hearing the complaint, comparing robots, a rich robot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import load
from screwgraph.model.robot import Frame, Joint, Limits, Link, Robot, tree
from screwgraph.model.robot.joints import Floating, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from screwgraph.spatial import Ad, SpatialInertia, from_xyz_rpy

LINK = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>{4}</joint>'


def urdf(*parts: str) -> str:
    """A URDF file; part i stands on line i + 2."""
    return "\n".join(['<robot name="leg">', *parts, "</robot>"])


def link(name: str) -> str:
    return LINK.format(name)


def joint(name: str, parent: str, child: str, kind: str = "revolute", more: str = "") -> str:
    return JOINT.format(name, kind, parent, child, more)


def loaded(text: str | bytes, folder: Path, name: str = "leg.urdf", **options) -> Robot:
    """Write a file and load it."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load(path, **options)


def complaint(text: str | bytes, folder: Path, name: str = "leg.urdf", **options) -> str:
    """Write a file that is not accepted and return the one line that says why, the folder left out."""
    with pytest.raises(ModelError) as caught:
        loaded(text, folder, name, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{folder}/", "")


def assert_same(a: Robot, b: Robot, tolerance: float = 1e-12) -> None:
    """Same names, order, types, poses, inertias, limits and coefficients."""
    assert (a.name, a.joint_names, a.gravity) == (b.name, b.joint_names, b.gravity)
    close(a.T_wb, b.T_wb, tolerance)
    assert [part.name for part in a.links] == [part.name for part in b.links]
    for ours, theirs in zip(a.links, b.links, strict=True):
        close(ours.inertia.matrix(), theirs.inertia.matrix(), tolerance)
    for ours, theirs in zip(a.joints, b.joints, strict=True):
        for name in ("type", "parent", "child", "limits", "damping", "friction", "armature"):
            assert getattr(ours, name) == getattr(theirs, name), name
        close(ours.origin, theirs.origin, tolerance)
        close(ours.neutral_position(), theirs.neutral_position(), tolerance)
    assert [(f.name, f.link) for f in a.frames] == [(f.name, f.link) for f in b.frames]
    for ours, theirs in zip(a.frames, b.frames, strict=True):
        close(ours.T_lf, theirs.T_lf, tolerance)
    assert_same_closed_chains(a, b, tolerance)


def assert_same_closed_chains(a: Robot, b: Robot, tolerance: float = 1e-12) -> None:
    """Same loops, couplings (in any order: the mimics of a URDF stand where its joints do) and independent joints."""
    assert a.independent == b.independent
    for ours, theirs in zip(a.loops, b.loops, strict=True):
        for name in ("name", "type", "predecessor", "successor"):
            assert getattr(ours, name) == getattr(theirs, name), name
        close(ours.T_pf, theirs.T_pf, tolerance)
        close(ours.T_sf, theirs.T_sf, tolerance)
    pairs = zip(*(sorted(robot.couplings, key=lambda c: c.name) for robot in (a, b)), strict=True)
    for ours, theirs in pairs:
        assert (ours.name, ours.joints) == (theirs.name, theirs.joints)
        assert ours.is_linear == theirs.is_linear
        for q in np.random.default_rng(9).normal(size=(3, len(ours.joints))):
            close(float(ours(q)), float(theirs(q)), tolerance)


def close(a, b, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def poses(robot: Robot, q) -> dict[str, np.ndarray]:
    """Pose of every link and frame in the base's frame."""
    at = {robot.links[0].name: np.eye(4)}
    for joint in robot.joints:
        at[joint.child] = at[joint.parent] @ joint.T_parent_child(q[robot.q_slices[joint.name]])
    return at | {frame.name: at[frame.link] @ frame.T_lf for frame in robot.frames}


def mass_matrix(robot: Robot, q) -> np.ndarray:
    """Sum of J' G J over the links, straight from the definition."""
    M = np.zeros((robot.nv, robot.nv))
    jacobians = {robot.links[0].name: np.zeros((6, robot.nv))}
    for joint in robot.joints:
        q_j = q[robot.q_slices[joint.name]]
        J = Ad(joint.T_child_parent(q_j)) @ jacobians[joint.parent]
        J[:, robot.v_slices[joint.name]] = joint.type.screw_axes(q_j)
        jacobians[joint.child] = J
        M += J.T @ robot.link(joint.child).inertia.matrix() @ J
        M[robot.v_slices[joint.name], robot.v_slices[joint.name]] += joint.armature * np.eye(joint.type.nv)
    return M


def rich_robot() -> Robot:
    """Every joint type, a branch, off-axis axes, odd inertias, every attribute a joint can have."""
    rng = np.random.default_rng(7)
    axis = (0.6, 0.0, -0.8)
    types = {
        "free": Floating(),
        "hip": Spherical(),
        "knee": Revolute(axis),
        "slide": Prismatic((0.0, -1.0, 0.0)),
        "screw": Helical((1.0, 2.0, 3.0), pitch=0.0123),
        "table": Planar((0.0, 1.0, 0.0)),
        "cardan": Universal((0.0, 0.0, 1.0), (1.0, 1.0, 0.0)),
        "wheel": Revolute(),
    }
    links = [Link("world"), *(Link(f"{name}_body", _inertia(rng)) for name in types)]
    links[3] = Link(links[3].name)
    parents = [0, 1, 2, 3, 1, 5, 1, 7]
    joints = [
        Joint(
            name, kind, links[parents[i]].name, links[i + 1].name, from_xyz_rpy(rng.normal(size=3), rng.normal(size=3))
        )
        for i, (name, kind) in enumerate(types.items())
    ]
    joints[2] = replace(joints[2], limits=Limits(-1.0, 2.0, 3.0, 4.0), damping=0.1, friction=0.2, armature=0.3)
    joints[0] = replace(joints[0], neutral=(0.1, -0.2, 3.0, 0.5, -0.1, 0.7, 0.5))
    joints[3] = replace(joints[3], limits=Limits(lower=-0.1))
    joints[7] = replace(joints[7], limits=Limits(velocity=3.0))
    frames = [
        Frame("tool", "cardan_body", from_xyz_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])),
        Frame("eye", "world", np.eye(4)),
    ]
    T_wb = from_xyz_rpy([0.3, 0.2, -0.1], [-0.4, 1.0, 2.0])
    return tree("rich", links, joints, frames=frames, gravity=(0.0, 0.5, -1.62), T_wb=T_wb)


def _inertia(rng: np.random.Generator) -> SpatialInertia:
    points = rng.normal(size=(5, 3))
    about_com = np.sum([p @ p * np.eye(3) - np.outer(p, p) for p in points], axis=0) / 10.0
    return SpatialInertia.of_body(rng.uniform(0.1, 5.0), rng.normal(size=3), about_com)
