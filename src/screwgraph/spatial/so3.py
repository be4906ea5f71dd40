"""Rotations."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.spatial.generic_math import Array, cos, floats, matrix, sin


def skew(w: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Return [w], with [w] x = w cross x. Lynch & Park (3.30)."""
    w = floats(w)
    x, y, z = w[0], w[1], w[2]
    return matrix([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def squared_length(w: Float[Array, "3"]) -> Any:
    """Return the squared length of w."""
    return w[0] * w[0] + w[1] * w[1] + w[2] * w[2]


def about_axis(axis: Float[Array, "3"], angle: Any) -> Float[Array, "3 3"]:
    """Rotate by `angle` (rad) about the unit vector `axis`: Rodrigues' formula, Lynch & Park (3.51).

    Written as a a' + cos (I - a a') + sin [a], so that entries are exact zeros and ones where
    the axis is a coordinate axis.
    """
    c, s = cos(angle), sin(angle)
    along, across, turned = _parts_of_turn(tuple(np.asarray(axis, dtype=float).tolist()))
    if isinstance(angle, float):
        return along + c * across + s * turned
    return matrix([[along[i, j] + c * across[i, j] + s * turned[i, j] for j in range(3)] for i in range(3)])


@lru_cache(maxsize=4096)
def _parts_of_turn(axis: tuple[float, ...]) -> tuple[Float[np.ndarray, "3 3"], ...]:
    """Return a a', I - a a' and [a] of an axis."""
    a = np.array(axis)
    along = np.outer(a, a)
    return along, np.eye(3) - along, skew(a)


def from_rpy(rpy: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Return Rz(yaw) Ry(pitch) Rx(roll), URDF's and SDF's convention (rad); quarter turns are exact."""
    x, y, z = np.eye(3)
    return _turn(z, rpy[2]) @ _turn(y, rpy[1]) @ _turn(x, rpy[0])


def _turn(axis: Float[np.ndarray, "3"], angle: Any) -> Float[Array, "3 3"]:
    """Rotate about a coordinate axis; a float that is a multiple of pi/2 means an exact quarter turn."""
    R = about_axis(axis, angle)
    quarters = angle / (np.pi / 2.0) if isinstance(angle, float) else 0.5
    return np.round(R) + 0.0 if quarters in range(-4, 5) else R


def to_rpy(R: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "3"]:
    """Return roll, pitch, yaw (rad) of a rotation; at pitch = +-90 degrees roll is zero."""
    level = np.hypot(R[0, 0], R[1, 0])
    pitch = np.arctan2(-R[2, 0], level)
    if level < 1e-14:
        return np.array([0.0, pitch, np.arctan2(-R[0, 1], R[1, 1])])
    yaw = np.arctan2(R[1, 0], R[0, 0])
    # Roll is what yaw leaves over: near pitch = +-90 degrees yaw has few digits, and their errors must cancel.
    c, s = R[0, 0] / level, R[1, 0] / level
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return np.array([roll, pitch, yaw])
