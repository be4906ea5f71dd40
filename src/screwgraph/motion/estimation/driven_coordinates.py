"""Driven coordinates of estimates: constraints that depend on time, as readings that are nearly exact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from screwgraph.model import Model
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.mechanism_noise import ModelNoise
from screwgraph.motion.estimation.readings.measurements import Measurements, Samples


def make_driven_sensors(model: Model, noise: ModelNoise) -> tuple[Sensor, ...]:
    """Return a sensor of each driven coordinate, which reads value, rate and acceleration as exactly as laws hold.

    Blanco-Claraco et al. (2021), (1)-(3).
    """
    spread = (noise.constraints, noise.constraints, noise.dynamics)
    names = [column.label for column in model.columns["q"]]
    return tuple(Sensor(f"driven {name}", "motion", names.index(name), spread) for name in model.driven)


def read_driven(model: Model, sensors: tuple[Sensor, ...], t: float) -> dict[str, float]:
    """Return what sensors of driven coordinates read at a time (s), by column.

    Raises:
        InputError: a function is not known at that time.
    """
    found: dict[str, float] = {}
    for sensor, function in zip(sensors, model.driven.values(), strict=True):
        found |= dict(zip(sensor.columns, function(t).tolist(), strict=True))
    return found


def add_driven(model: Model, data: Measurements, noise: ModelNoise) -> Measurements:
    """Return measurements with readings of driven coordinates at all instants.

    Raises:
        InputError: a function is not known at one of the times.
    """
    sensors = make_driven_sensors(model, noise)
    samples = tuple(
        Samples(np.arange(len(data.t)), function(data.t).T, None, tuple(sensor.rows))
        for sensor, function in zip(sensors, model.driven.values(), strict=True)
    )
    return replace(data, sensors=(*data.sensors, *sensors), samples=(*data.samples, *samples))


def hold_driven(model: Model, t: float) -> dict[str, tuple[float, float]]:
    """Return values and rates of driven coordinates at a time (s). Raises InputError where a function is not known."""
    return {name: (float(u), float(ud)) for name, (u, ud, _) in ((n, f(t)) for n, f in model.driven.items())}
