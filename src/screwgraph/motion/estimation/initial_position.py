"""The position at which a search begins, from the first readings; the prior is another matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Joint
from screwgraph.model.robot.closure.independent_joints import position_slices
from screwgraph.model.robot.joints import Floating
from screwgraph.motion.estimation.sensor_models import JointReading
from screwgraph.motion.estimation.sensors import SENSORS, Sensor, name_channels
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.spatial import inverse, quaternions, so3, transform

OPPOSITE = 1e-6
"""Angle (rad) from upside down within which the axis of a turn is not defined."""


def find_initial_position(
    mechanics: Mechanics,
    sensors: Sequence[Sensor],
    table: Mapping[str, Any],
    q0: Float[np.ndarray, " nq"],
    position: float,
) -> Float[np.ndarray, " nq"]:
    """Return the position from the first readings; coordinates that no sensor measures stay as in q0.

    Joints stand where encoders say; a floating base stands where a measured pose says, else it is tilted as an
    accelerometer at rest says, and moved to a measured point; loops are closed from the independent joints, on the
    branch of q0. Sensors that are less sure than q0 are left out.

    Args:
        mechanics: of the robot.
        sensors: what was measured.
        table: readings by column, (N,), NaN where there are none.
        q0: where the motion begins, roughly.
        position: how sure that is (rad, m).
    """
    sure = [s for s in sensors if np.hypot(max(s.sigma), s.bias) < position or s.kind == "accelerometer"]
    q, encoders = q0.copy(), set[int]()
    for sensor in sure:
        read = _first(table, name_channels(sensor).columns)
        if sensor.kind == "joint_position" and read is not None:
            reading = SENSORS[sensor.kind].template(mechanics, sensor, (), ())
            assert isinstance(reading, JointReading)
            q[list(reading.columns)] = read
            encoders.update(reading.columns)
    base = next((j for j in mechanics.robot.joints if not mechanics.robot.joints_to_base(j.parent)), None)
    if base is not None and isinstance(base.type, Floating):
        q = _place_base(mechanics, base, sure, table, q)
        encoders.update(range(*mechanics.robot.q_slices[base.name].indices(len(q))))
    return _close_near(mechanics, q, q0, encoders) if mechanics.robot.is_closed else q


def _place_base(
    mechanics: Mechanics, base: Joint, sensors: Sequence[Sensor], table: Mapping[str, Any], q: np.ndarray
) -> np.ndarray:
    """Return a position whose base is placed by the first readings of sensors on it."""
    robot, done = mechanics.robot, set[str]()
    on = [s for s in sensors if s.kind in PLACED and base in robot.joints_to_base(robot.frame(s.target).link)]
    for sensor in sorted(on, key=lambda s: list(PLACED).index(s.kind)):
        read = _first(table, name_channels(sensor).columns)
        if read is None or sensor.kind in done or "pose" in done:
            continue
        T = np.asarray(mechanics.pose(sensor.target, q), dtype=float)
        q = _displace_base(mechanics, base, q, PLACED[sensor.kind](mechanics, T, read))
        done.add(sensor.kind)
    return q


def _motion_to_pose(mechanics: Mechanics, T: np.ndarray, read: np.ndarray) -> np.ndarray:
    """Return the motion (4, 4), in the base's axes, that brings a frame from T to a measured pose."""
    measured = transform(quaternions.to_rotation(read[3:] / np.linalg.norm(read[3:])), read[:3])
    return measured @ inverse(T)


def _rotation_to_gravity(mechanics: Mechanics, T: np.ndarray, read: np.ndarray) -> np.ndarray:
    """Return the least rotation about a frame's origin after which its measured acceleration points against gravity."""
    up, measured = -np.asarray(mechanics.robot.gravity, dtype=float), T[:3, :3] @ read
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


def _translation_to_point(mechanics: Mechanics, T: np.ndarray, read: np.ndarray) -> np.ndarray:
    """Return the translation that brings a frame's origin to a measured point."""
    return transform(np.eye(3), read - T[:3, 3])


PLACED: Mapping[str, Callable[[Mechanics, np.ndarray, np.ndarray], np.ndarray]] = {
    "pose": _motion_to_pose,
    "accelerometer": _rotation_to_gravity,
    "position": _translation_to_point,
}
"""Motions of a base by kinds of sensors, in the order in which they are used; nothing follows a pose."""


def _displace_base(mechanics: Mechanics, base: Joint, q: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """Return a position whose base and all that hangs on it is moved, (4, 4) in the base's axes."""
    q, place = q.copy(), mechanics.robot.q_slices[base.name]
    T, own = np.asarray(mechanics.pose(base.child, q), dtype=float), base.type.transform(q[place])
    there = base.type.nearest(own @ inverse(T) @ motion @ T)
    there[3:] *= np.copysign(1.0, there[3:] @ q[place][3:])  # the quaternion's sign stays that of q
    q[place] = there
    return q


def _close_near(mechanics: Mechanics, q: np.ndarray, q0: np.ndarray, measured: set[int]) -> np.ndarray:
    """Return a position of closed loops near q, of which places `measured` were read; q0 where there is none."""
    robot = mechanics.robot
    places = [i for place in position_slices(robot) for i in place]
    try:
        return robot.complete(q[places], q0) if measured.issuperset(places) else robot.close_loops(q)
    except InputError:
        return q0


def _first(table: Mapping[str, Any], columns: Sequence[str]) -> np.ndarray | None:
    """Return the first row in which all of some columns were read; None where there is none."""
    if not all(name in table for name in columns):
        return None
    rows = np.stack([np.asarray(table[name], dtype=float) for name in columns], axis=1)
    found = np.flatnonzero(np.isfinite(rows).all(axis=1))
    return rows[found[0]] if len(found) else None
