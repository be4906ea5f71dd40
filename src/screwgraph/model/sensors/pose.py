"""Pose of a frame."""

from typing import Any

import numpy as np

from screwgraph.model.sensors.base import QUATERNION, XYZ, SensorForm, SensorKind, SensorPlace
from screwgraph.spatial import concatenate, inverse, transform, vector
from screwgraph.spatial.exponential import exp3
from screwgraph.spatial.quaternions import from_rotation, to_rotation


def pose_residual(motion: Any, place: SensorPlace, measured: Any) -> Any:
    """Return sines of angles (rad), then displacements (m), in the frame's axes (6,)."""
    T = motion.pose(place.target)
    R = to_rotation([measured[i] for i in range(3, 7)]).T @ T[:3, :3]
    sines = [0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])]
    return concatenate(vector(sines), T[:3, :3].T @ (T[:3, 3] - measured[:3]))


def motion_to_pose(gravity: Any, T: np.ndarray, reading: np.ndarray) -> np.ndarray:
    """Return the motion (4, 4), in the base's axes, that brings a frame from T to a measured pose."""
    return transform(to_rotation(reading[3:] / np.linalg.norm(reading[3:])), reading[:3]) @ inverse(T)


def read_pose(motion: Any, place: SensorPlace) -> Any:
    """Return the origin (m) and the unit quaternion of a frame (7,)."""
    T = motion.pose(place.target)
    return concatenate(T[:3, 3], vector(from_rotation(T[:3, :3])))


def disturb_poses(values: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Return poses (N, 7) turned and moved by errors (N, 6) (rad, m) in their axes."""
    R = [to_rotation(x) for x in values[:, 3:]]
    moved = [x[:3] + R_i @ e[3:] for x, R_i, e in zip(values, R, errors, strict=True)]
    turned = [from_rotation(R_i @ exp3(e[:3])) for R_i, e in zip(R, errors, strict=True)]
    return np.concatenate([moved, np.array(turned, dtype=float)], axis=1)


POSE = SensorKind(
    residual=pose_residual,
    robot=SensorForm(
        "frame",
        ("q",),
        (*XYZ, *QUATERNION),
        {**dict.fromkeys(("_rx", "_ry", "_rz"), QUATERNION), **dict.fromkeys(XYZ, XYZ)},
    ),
    usual={"sigma": 1e-2},
    base_motion=motion_to_pose,
    reading=read_pose,
    disturb=disturb_poses,
)
"""Pose of a frame in the base: x, y, z (m), unit quaternion qx, qy, qz, qw."""
