"""Readings of a robot's sensors along a motion: columns that estimates read, with noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, describe_value
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function, Result, compile_expression, make_numbered_argument, without_metadata
from screwgraph.model.robot import Robot
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.robot_motion_graph import get_mechanics
from screwgraph.motion.estimation.sensors import RobotMotion, list_contact_frames, parse_sensors
from screwgraph.motion.simulation import Trajectory


@check_arguments
def simulate_sensors(
    motion: Trajectory, sensors: Sequence[Mapping[str, Any]], seed: int | None = None
) -> dict[str, Float[np.ndarray, " N"]]:
    """Return what sensors of a robot read along a motion: the times "t" and a column of each, as `sg.estimate` asks.

    Forces of contacts are those of the motion's external wrenches. A delayed sensor reads what was before; until then
    it reads the beginning.

    Args:
        motion: of a robot, as `sg.simulate` returns it.
        sensors: entries like {"sensor": "imu", "gyroscope": "trunk", "sigma": 0.01}.
        seed: of the noise, biases and their walks; without it, readings are exact.

    Raises:
        InputError: a motion of a mechanism, or a sensor that the robot cannot have.
    """
    robot = motion.model
    if not isinstance(robot, Robot):
        raise InputError(
            f"sensors of {describe_value(robot)} along a motion",
            why="they are of robots",
            fix="of planar mechanisms, screwgraph.mechanics.mechanism.simulate_sensors reads states",
        )
    found, rng = {"t": motion.t}, None if seed is None else np.random.default_rng(seed)
    parsed = parse_sensors(get_mechanics(robot), sensors)
    for delay in sorted({sensor.delay for sensor in parsed}):
        own = tuple(sensor for sensor in parsed if sensor.delay == delay)
        pushed = list_contact_frames(own)
        states = motion.at(np.maximum(motion.t - delay, motion.t[0])) if delay else motion[:]
        wrenches = [states.external_wrenches.get(name, np.zeros((len(motion), 6))) for name in pushed]
        forces = np.concatenate([np.zeros((len(motion), 0)), *(w[:, 3:] for w in wrenches)], axis=1)
        given = [states.q, states.qd, states.qdd, states.tau, *([forces] if pushed else [])]
        read = compile_readings(robot, own, pushed)(*given)
        for sensor, values in zip(own, read if len(own) > 1 else (read,), strict=True):
            values = values if rng is None else sensor.entry.disturb(values, draw_noise(sensor, motion.t, rng))
            found |= dict(zip(sensor.columns, values.T, strict=True))
    return {name: found[name] for name in ("t", *(name for sensor in parsed for name in sensor.columns))}


def compile_readings(robot: Robot, sensors: Sequence[Sensor], pushed: Sequence[str]) -> Function:
    """Return what each sensor reads, (columns,), as a function of q, qd, qdd, tau and forces on frames (3 k,)."""
    mechanics, every = get_mechanics(robot), range(robot.nv)
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv, "tau": robot.nv}
    sizes |= {"forces": 3 * len(pushed)} if pushed else {}

    def expression(*vectors: Any) -> list[Any]:
        moving = RobotMotion(mechanics, dict(zip(sizes, vectors, strict=True)), every, pushed)
        return [x for sensor in sensors for x in np.ravel(sensor.entry.find_reading(moving, sensor.place))]

    places = tuple((sensor.name, sensor.place) for sensor in sensors)
    return compile_expression(
        "readings",
        (without_metadata(robot), places, tuple(pushed)),
        tuple(make_numbered_argument(name, size) for name, size in sizes.items()),
        expression,
        results=tuple(Result(sensor.name, (len(sensor.columns),)) for sensor in sensors),
        branches=True,
    )


def draw_noise(sensor: Sensor, t: Float[np.ndarray, " N"], rng: np.random.Generator) -> Float[np.ndarray, "N m"]:
    """Return what a sensor is off by at times (s), a column for each row of its residual: noise, and its bias."""
    shape = len(t), len(sensor.rows)
    steps = np.sqrt(np.diff(t, prepend=t[0]))[:, None] * rng.standard_normal(shape)
    bias = sensor.bias * rng.standard_normal(shape[1]) + sensor.walk * np.cumsum(steps, axis=0)
    return sensor.spread * rng.standard_normal(shape) + bias
