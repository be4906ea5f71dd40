"""What sensors there are, and what they read along a motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.parts import Sensor
from screwgraph.model.mechanism.sensor_models import (
    Accelerometer,
    CoordinateAngle,
    Gyroscope,
    LineAngle,
    PointPosition,
)


@dataclass(frozen=True)
class SensorKind:
    """Kind of sensor: what it is `on` (body, point or angle), its unit, and the template of what it measures.

    `suffixes` of its columns; `of`, what it depends on: positions q, velocities v, accelerations a; `placed`, whether
    it has a place on its body.
    """

    on: str
    unit: str
    suffixes: tuple[str, ...]
    of: str
    template: Callable[[Mechanism, Any], Any]
    placed: bool = False


def _gyroscope(mechanism: Mechanism, sensor: Sensor) -> Any:
    return Gyroscope(mechanism, _single(sensor))


def _accelerometer(mechanism: Mechanism, sensor: Sensor) -> Any:
    return Accelerometer(mechanism, _single(sensor), sensor.at)


def _position(mechanism: Mechanism, sensor: Sensor) -> Any:
    return PointPosition(mechanism, _single(sensor))


def _angle(mechanism: Mechanism, sensor: Sensor) -> Any:
    if isinstance(sensor.target, tuple):
        return LineAngle(mechanism, sensor.target)
    return CoordinateAngle(mechanism, mechanism.angle_slots[sensor.target])


def _single(sensor: Sensor) -> int:
    return sensor.target if isinstance(sensor.target, int) else sensor.target[0]


SENSORS: Mapping[str, SensorKind] = {
    "gyroscope": SensorKind("body", "rad/s", ("",), "qv", _gyroscope),
    "accelerometer": SensorKind("body", "m/s^2", ("_x", "_y"), "qa", _accelerometer, placed=True),
    "position": SensorKind("point", "m", ("_x", "_y"), "q", _position),
    "angle": SensorKind("angle", "rad", ("",), "q", _angle),
}
"""Kinds of sensors, by the key under which a file names them."""


def name_columns(sensor: Sensor) -> tuple[str, ...]:
    """Return the names of the columns that a sensor fills in a table of measurements."""
    return tuple(sensor.name + suffix for suffix in SENSORS[sensor.kind].suffixes)


def simulate_sensors(
    mechanism: Mechanism,
    motion: Mapping[str, Float[np.ndarray, "N n"]],
    sensors: tuple[Sensor, ...] | None = None,
    rng: np.random.Generator | None = None,
) -> dict[str, Float[np.ndarray, " N"]]:
    """Return what sensors read along a motion, by column; with the noise of each where there is a generator.

    Args:
        mechanism: what moves.
        motion: its positions, velocities and accelerations: {"q": (N, n), "v": (N, n), "a": (N, n)}.
        sensors: by default those of the mechanism.
        rng: draws the noise.
    """
    found: dict[str, np.ndarray] = {}
    for sensor in mechanism.sensors if sensors is None else sensors:
        kind = SENSORS[sensor.kind]
        reading = kind.template(mechanism, sensor)
        own = [np.asarray(motion[name], dtype=float).T for name in kind.of]  # one row a coordinate
        rows = np.asarray(reading(*own, measured=0.0), dtype=float)
        values = np.broadcast_to(rows.reshape(len(kind.suffixes), -1), (len(kind.suffixes), own[0].shape[1]))
        if rng is not None:
            values = values + sensor.sigma * rng.standard_normal(values.shape)
        found |= dict(zip(name_columns(sensor), values, strict=True))
    return found
