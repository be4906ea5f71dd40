"""The position at which a search begins, from the first readings; the prior is another matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Joint
from screwgraph.model.robot.closure.independent_joints import position_slices
from screwgraph.model.sensors import SENSORS
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.readings.sensors import find_position_place
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.spatial import inverse


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
    sure = [s for s in sensors if np.hypot(max(s.sigma), s.bias) < position or s.form.of != ("q",)]
    q, encoders = q0.copy(), set[int]()
    for sensor in sure:
        if sensor.form.on == "joint" and sensor.form.of == ("q",):
            read, place = _first(table, sensor.columns), find_position_place(mechanics, sensor.target)
            if read is not None:
                q[place] = read[0]
                encoders.add(place)
    base = next((j for j in mechanics.robot.joints if not mechanics.robot.joints_to_base(j.parent)), None)
    if base is not None and base.is_free:
        q = _place_base(mechanics, base, sure, table, q)
        encoders.update(range(*mechanics.robot.q_slices[base.name].indices(len(q))))
    return _close_near(mechanics, q, q0, encoders) if mechanics.robot.is_closed else q


def _place_base(
    mechanics: Mechanics, base: Joint, sensors: Sequence[Sensor], table: Mapping[str, Any], q: np.ndarray
) -> np.ndarray:
    """Return a position whose base is placed by the first readings of sensors on it."""
    robot, done = mechanics.robot, set[str]()
    on = [s for s in sensors if s.form.on == "frame" and base in robot.joints_to_base(robot.frame(s.target).link)]
    for sensor in sorted(on, key=lambda s: list(SENSORS).index(s.kind)):
        read, to_reading = _first(table, sensor.columns), sensor.entry.base_motion
        if read is None or to_reading is None or sensor.kind in done:
            continue
        T = np.asarray(mechanics.pose(sensor.target, q), dtype=float)
        q = _displace_base(mechanics, base, q, to_reading(robot.gravity, T, read))
        if len(sensor.rows) == 6:  # a pose leaves nothing to others
            break
        done.add(sensor.kind)
    return q


def _displace_base(mechanics: Mechanics, base: Joint, q: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """Return a position whose base and all that hangs on it is moved, (4, 4) in the base's axes."""
    q, place = q.copy(), mechanics.robot.q_slices[base.name]
    T, own = np.asarray(mechanics.pose(base.child, q), dtype=float), base.type.transform(q[place])
    there = base.type.nearest(own @ inverse(T) @ motion @ T)
    for at in base.type.manifold.quaternions:  # its sign stays that of q
        quaternion = slice(at, at + 4)
        there[quaternion] *= np.copysign(1.0, there[quaternion] @ q[place][quaternion])
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
