"""From joints between links, in any direction and with loops, to a tree with loops: a joint set becomes a robot's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats.sdf.joints import SdfJoint, round_rotation
from screwgraph.model.formats.spanning_tree import chosen_joints
from screwgraph.model.robot import Joint, JointType, Loop
from screwgraph.model.robot.parts import DirectedMotion, GroupMotion
from screwgraph.spatial import inverse, rotation, transform, translation

Poses = dict[str, Float[np.ndarray, "4 4"]]

NEAR = 1e-12
"""Distance (m) below which two origins are one."""


@dataclass(frozen=True, eq=False)
class Edge:
    """A joint of the tree, from the base outward; `reversed` where the file has it from child to parent."""

    joint: SdfJoint
    reversed: bool

    @property
    def parent(self) -> str:
        """The link nearer to the base."""
        return self.joint.child if self.reversed else self.joint.parent

    @property
    def child(self) -> str:
        """The link farther from the base."""
        return self.joint.parent if self.reversed else self.joint.child


def find_spanning_tree(base: str, joints: Sequence[SdfJoint]) -> tuple[list[Edge], list[SdfJoint]]:
    """Choose the joints that form a tree, as the file lists them, and those that close loops; see `chosen_joints`."""
    chosen, loops = chosen_joints(base, joints)
    return _outward(base, chosen), loops


def joint_frames(edges: Sequence[Edge], T_wl: Poses) -> Poses:
    """Return a frame for every link, in the world's: the file's own, its origin moved onto the joint that moves it."""
    frames = dict(T_wl)
    for edge in edges:
        groups = edge.joint.kind.motion_groups() if isinstance(edge.joint.kind, GroupMotion) else ()
        anchored = len(groups) > 0 and all(axes[:, :3].any(axis=1).all() for axes in groups)  # every motion turns
        at_joint = translation(edge.joint.T_wj)
        if anchored and np.linalg.norm(at_joint - translation(T_wl[edge.child])) > NEAR:
            frames[edge.child] = transform(rotation(T_wl[edge.child]), at_joint)
    return frames


def tree_joint(edge: Edge, frames: Poses) -> Joint:
    """Make the robot's joint of an edge of the tree, links framed as `joint_frames` says."""
    joint = edge.joint
    assert joint.kind is not None
    kind = _reverse(joint.kind) if edge.reversed else joint.kind
    if isinstance(kind, DirectedMotion):
        kind = kind.rotate(round_rotation(rotation(frames[edge.child]).T @ rotation(joint.T_wj)))
    return Joint(
        joint.name,
        kind,
        edge.parent,
        edge.child,
        relative_pose(frames[edge.parent], frames[edge.child]),
        limits=joint.limits,
        damping=joint.damping,
        friction=joint.friction,
        armature=joint.armature,
    )


def make_closing_loop(joint: SdfJoint, frames: Poses) -> Loop:
    """Make the loop of a joint that closes one."""
    assert joint.kind is not None
    T_pf, T_sf = (relative_pose(frames[link], joint.T_wj) for link in (joint.parent, joint.child))
    return Loop(joint.name, joint.kind, joint.parent, joint.child, T_pf, T_sf)


def relative_pose(T_wa: Float[np.ndarray, "4 4"], T_wb: Float[np.ndarray, "4 4"]) -> Float[np.ndarray, "4 4"]:
    """Return T_ab, its rotation without rounding errors about 0 and +-1."""
    T = inverse(T_wa) @ T_wb
    return transform(round_rotation(rotation(T)), translation(T))


def _reverse(kind: JointType) -> JointType:
    """Return the joint seen from its child; a motion without axes is the same from there."""
    return kind.reverse() if isinstance(kind, DirectedMotion) else kind


def _outward(base: str, joints: Sequence[SdfJoint]) -> list[Edge]:
    """Direct the joints away from the base, in the file's order; what the base does not reach keeps its direction."""
    at: dict[str, list[SdfJoint]] = {}
    for joint in joints:
        at.setdefault(joint.parent, []).append(joint)
        at.setdefault(joint.child, []).append(joint)
    reached, waiting, backwards = {base}, [base], set()
    while waiting:
        link = waiting.pop()
        for joint in at.get(link, []):
            other = joint.child if joint.parent == link else joint.parent
            if other not in reached:
                reached.add(other)
                waiting.append(other)
                if joint.child == link:
                    backwards.add(joint.name)
    return [Edge(joint, joint.name in backwards) for joint in joints]
