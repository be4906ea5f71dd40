"""Accelerometer."""

from typing import Any

import numpy as np

from screwgraph.model.sensors.base import XY, XYZ, SensorForm, SensorKind
from screwgraph.spatial import so3, transform

OPPOSITE = 1e-6
"""Angle (rad) from upside down within which the axis of a turn is not defined."""


def rotation_to_gravity(gravity: Any, T: np.ndarray, reading: np.ndarray) -> np.ndarray:
    """Return the least rotation about a frame's origin after which its measured acceleration points against gravity."""
    up, measured = -np.asarray(gravity, dtype=float), T[:3, :3] @ reading
    if not (np.linalg.norm(up) > 0.0 and np.linalg.norm(measured) > 0.0):
        return np.eye(4)
    up, measured = up / np.linalg.norm(up), measured / np.linalg.norm(measured)
    axis = np.cross(measured, up)
    angle = np.arctan2(np.linalg.norm(axis), measured @ up)
    if np.linalg.norm(axis) < OPPOSITE:
        if measured @ up > 0.0:
            return np.eye(4)
        axis = np.cross(measured, np.eye(3)[np.argmin(np.abs(measured))])
    R = so3.about_axis(axis / np.linalg.norm(axis), angle)
    return transform(R, T[:3, 3] - R @ T[:3, 3])


ACCELEROMETER = SensorKind(
    residual=lambda motion, place, measured: motion.specific_force(place.target, place.at) - measured,
    robot=SensorForm("frame", ("q", "qd", "qdd"), XYZ, has_place=True),
    mechanism=SensorForm(
        "body", ("q", "qdd"), XY, has_place=True, text="body whose specific force it reads, in its axes", unit="m/s²"
    ),
    usual={"sigma": 0.1, "bias": 0.5},
    base_motion=rotation_to_gravity,
)
"""Specific force, acceleration minus gravity, at a place in a frame or body, by default its origin (m/s^2)."""
