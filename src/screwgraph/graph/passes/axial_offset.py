"""A constant turn about a joint's own axis becomes part of its position."""

from __future__ import annotations

from dataclasses import replace
from math import atan2, cos, sin

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot import Joint
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import rotation, transform, translation

SHARP = 1e-12
"""Entries of a rotation this close to 0 or +-1 are that."""


def remove_axial_offset(joint: Joint) -> Joint:
    """Take that part of a revolute joint's constant rotation about its axis (z) which leaves the simplest rest.

    Quarter turns only change places and signs of coordinates: they stay where they are, as do origins that are inputs.
    """
    if not isinstance(joint.type, Revolute) or joint.origin.dtype == object:
        return joint
    R, angle = split_axial_rotation(joint.origin)
    if angle == 0.0:
        return joint
    kind = replace(joint.type, offset=joint.type.offset + angle)
    return replace(joint, type=kind, origin=transform(R, translation(joint.origin)))


def split_axial_rotation(T: Float[np.ndarray, "4 4"]) -> tuple[Float[np.ndarray, "3 3"], float]:
    """Return the simplest rotation that, followed by a turn about z (rad), is that of T; and the turn."""
    R = rotation(T)
    if rotation_cost(R) == 0:
        return R, 0.0
    angles = [atan2(R[k, 0], R[k, 1]) for k in range(3)]
    options = [(R, 0.0), *((_turned_back(R, a), a) for a in angles)]
    return min(options, key=lambda option: rotation_cost(option[0]) + (option[1] != 0.0))


def rotation_cost(R: Float[np.ndarray, "3 3"]) -> int:
    """Count the entries of a rotation that cost a multiplication."""
    return sum(1 for entry in R.ravel().tolist() if entry not in (0.0, 1.0, -1.0))


def _turned_back(R: np.ndarray, angle: float) -> Float[np.ndarray, "3 3"]:
    c, s = cos(angle), sin(angle)
    rest = R.copy()
    rest[:, 0], rest[:, 1] = c * R[:, 0] - s * R[:, 1], s * R[:, 0] + c * R[:, 1]
    nearest = np.round(rest)
    return np.where(np.abs(rest - nearest) < SHARP, nearest, rest)
