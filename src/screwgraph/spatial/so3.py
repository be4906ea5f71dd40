"""Rotations."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.spatial.generic_math import Array, cos, matrix, sin


def skew(w: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Return [w], with [w] x = w cross x. Lynch & Park (3.30)."""
    return matrix([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def squared_length(w: Float[Array, "3"]) -> Any:
    """Return the squared length of w."""
    return w[0] * w[0] + w[1] * w[1] + w[2] * w[2]


def about_axis(axis: Float[Array, "3"], angle: Any) -> Float[Array, "3 3"]:
    """Rotate by `angle` (rad) about the unit vector `axis`: Rodrigues' formula, Lynch & Park (3.51).

    Written as a a' + cos (I - a a') + sin [a], so that entries are exact zeros and ones where
    the axis is a coordinate axis.
    """
    a = np.asarray(axis, dtype=float)
    c, s, aa, aX = cos(angle), sin(angle), np.outer(a, a), skew(a)
    eye = np.eye(3)
    return matrix([[aa[i, j] + c * (eye[i, j] - aa[i, j]) + s * aX[i, j] for j in range(3)] for i in range(3)])


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
