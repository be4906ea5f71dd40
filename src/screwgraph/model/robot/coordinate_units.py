"""Units of a joint's coordinates, found from its kinematics, so that a new joint type needs no entry here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.model.robot.joints import JointType
from screwgraph.model.robot.parts import Joint

POSE, TWIST = ("x", "y", "z", "qx", "qy", "qz", "qw"), ("wx", "wy", "wz", "vx", "vy", "vz")
"""Coordinates of a floating base in pictures; torques and forces are those of the twist."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Units:
    """The unit of each coordinate of a joint; no unit for parts of a quaternion."""

    __repr__ = one_line

    position: tuple[str, ...]
    velocity: tuple[str, ...]
    acceleration: tuple[str, ...]
    effort: tuple[str, ...]


def units(joint: JointType) -> Units:
    """Return the units of a joint's coordinates: a coordinate turns if its screw axis has an angular part."""
    q = joint.manifold.random(np.random.default_rng(0))
    turns = np.array([column[:3].any() for column in np.asarray(joint.screw_axes(q), dtype=float).T])
    rates = np.array([joint.manifold.rate(q, unit) for unit in np.eye(joint.nv)], dtype=float).T
    bases = ["rad" if turning else "m" for turning in turns]
    return Units(
        position=tuple(_position_unit(rate, turns, joint.nq == joint.nv) for rate in rates),
        velocity=tuple(f"{base}/s" for base in bases),
        acceleration=tuple(f"{base}/s²" for base in bases),
        effort=tuple("N m" if turning else "N" for turning in turns),
    )


def label_coordinate(joint: Joint, kind: str, i: int, count: int) -> str:
    """Return what a picture calls coordinate i of `count` of a joint, in q, qd, qdd or tau."""
    if joint.has_pose:
        return f"base {(POSE if kind == 'q' else TWIST)[i]}"
    return joint.name if count == 1 else f"{joint.name}[{i}]"


def _position_unit(rate: np.ndarray, turns: np.ndarray, is_angle: bool) -> str:
    moved_by_turning = set(turns[np.abs(rate) > _ROUNDING].tolist())
    if moved_by_turning == {False}:
        return "m"
    return "rad" if moved_by_turning == {True} and is_angle else ""
