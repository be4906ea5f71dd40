"""Readings of sensors along a motion: columns that estimates read, with noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function, Result, compile_expression, make_numbered_argument, without_metadata
from screwgraph.model.mechanism.sensors import parse_sensors as parse_mechanism_sensors
from screwgraph.model.mechanism.sensors import simulate_sensors as read_mechanism_sensors
from screwgraph.model.robot import Robot
from screwgraph.model.sensors.sensor import Sensor, list_pushed
from screwgraph.motion.estimation.readings.sensors import RobotMotion, parse_sensors
from screwgraph.motion.estimation.robots.motion_graph import get_mechanics
from screwgraph.motion.simulation import Trajectory


@check_arguments
def simulate_sensors(
    motion: Trajectory, sensors: Sequence[Mapping[str, Any]], seed: int | None = None
) -> dict[str, Float[np.ndarray, " N"]]:
    """Return what sensors read along a motion: the times "t" and a column of each, as `sg.estimate` asks.

    Forces of contacts are those of the motion's external wrenches. A delayed sensor reads what was before;
    until then it reads the beginning.

    Args:
        motion: of a robot or a mechanism, as `sg.simulate` returns it.
        sensors: entries like {"sensor": "imu", "gyroscope": "trunk", "sigma": 0.01}.
        seed: of the noise, biases and their walks; without it, readings are exact.

    Raises:
        InputError: a sensor that the model cannot have, or of a mechanism one of forces within it, which motions lack.
    """
    found, rng = {"t": motion.t}, None if seed is None else np.random.default_rng(seed)
    parse, read = READINGS[motion.model.kind]
    parsed = parse(motion.model, sensors)
    for delay in sorted({sensor.delay for sensor in parsed}):
        own = tuple(sensor for sensor in parsed if sensor.delay == delay)
        states = motion.at(np.maximum(motion.t - delay, motion.t[0])) if delay else motion[:]
        for sensor, values in zip(own, read(motion.model, own, states), strict=True):
            values = values if rng is None else sensor.entry.disturb(values, draw_noise(sensor, motion.t, rng))
            found |= dict(zip(sensor.columns, values.T, strict=True))
    return {name: found[name] for name in ("t", *(name for sensor in parsed for name in sensor.columns))}


def _read_robot(robot: Any, sensors: Sequence[Sensor], states: Any) -> Sequence[Float[np.ndarray, "N k"]]:
    """Return what sensors of a robot read at some states, the columns of each."""
    pushed = list_pushed(sensors)
    wrenches = [states.external_wrenches.get(name, np.zeros((len(states.q), 6))) for name in pushed]
    forces = np.concatenate([np.zeros((len(states.q), 0)), *(w[:, 3:] for w in wrenches)], axis=1)
    given = [states.q, states.qd, states.qdd, states.tau, *([forces] if pushed else [])]
    read = compile_readings(robot, sensors, pushed)(*given)
    return read if len(sensors) > 1 else (read,)


def _read_mechanism(mechanism: Any, sensors: Sequence[Sensor], states: Any) -> Sequence[Float[np.ndarray, "N k"]]:
    """Return what sensors of a mechanism read at some states, the columns of each."""
    forces = {name: W[:, 3 : 3 + mechanism.dimension] for name, W in states.external_wrenches.items()}
    motion = {"q": states.q, "v": states.qd, "a": states.qdd, "tau": states.tau, "forces": forces}
    read = read_mechanism_sensors(mechanism, motion, tuple(sensors))
    return [np.stack([read[column] for column in sensor.columns], axis=1) for sensor in sensors]


READINGS: Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "robot": (lambda robot, sensors: parse_sensors(get_mechanics(robot), sensors), _read_robot),
    "mechanism": (parse_mechanism_sensors, _read_mechanism),
}
"""By kind of model, what makes sensors of entries, and what reads them at states."""


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
