"""Measurements of a motion: tables that sensors filled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.estimation.tables import are_even, checked_times, column, names_of
from screwgraph.robot import unknown
from screwgraph.summary import one_line

TORQUE = "tau:"
"""What the names of columns of known torques begin with; the motor follows."""


@dataclass(frozen=True, eq=False)
class Measurements:
    """What sensors read at N times (s), (N, k) each, and known torques of the motors (N m)."""

    __repr__ = one_line

    t: Float[np.ndarray, " N"]
    sensors: tuple[Any, ...]
    samples: tuple[Float[np.ndarray, "N k"], ...]
    torques: Float[np.ndarray, "N motors"]

    @property
    def steps(self) -> Float[np.ndarray, " N-1"]:
        """The distances in time (s): those of equal times are exactly equal."""
        steps, mean = np.diff(self.t), float(self.t[-1] - self.t[0]) / (len(self.t) - 1)
        return np.full(len(steps), mean) if are_even(steps) else steps


def measured(
    table: Mapping[str, Any], sensors: Sequence[Any], columns: Callable[[Any], tuple[str, ...]], motors: Sequence[str]
) -> Measurements:
    """Check measurements, {"t": (N,), sensor: (N,), sensor_x: (N,), "tau:motor": (N,), ...}.

    `columns` tells the names of a sensor's columns. Sensors without columns are left out; motors without a column
    have no torque.

    Raises:
        InputError: no times, unknown columns or none, half a sensor, NaN, gaps, times unsorted, other lengths.
    """
    driven = {TORQUE + name: k for k, name in enumerate(motors)}
    with names_of(table):
        used = _used(table, {sensor: columns(sensor) for sensor in sensors}, driven)
    t = checked_times(table, "measurements", uneven=True)
    samples = tuple(np.stack([column(n, table[n], len(t), "measurements") for n in columns(s)], axis=1) for s in used)
    torques = np.zeros((len(t), len(motors)))
    for name, k in driven.items():
        if name in table:
            torques[:, k] = column(name, table[name], len(t), "measurements")
    return Measurements(t, used, samples, torques)


def _used(table: Any, columns: Mapping[Any, tuple[str, ...]], motors: Mapping[str, int]) -> tuple[Any, ...]:
    """Return the sensors that a table has columns of; `columns` of all."""
    if not isinstance(table, Mapping) or "t" not in table:
        raise InputError("the measurements have no times", fix='give {"t": times, "gyro": angular velocities, ...}')
    known = [name for names in columns.values() for name in names]
    for name in table:
        if name not in ("t", *known, *motors):
            raise _unknown_column(str(name), known, motors)
    used = tuple(sensor for sensor, names in columns.items() if any(name in table for name in names))
    if not used:
        raise InputError("nothing is measured", fix=f"give columns of sensors, like {', '.join(known) or 'sensors='}")
    for name in (name for sensor in used for name in columns[sensor]):
        if name not in table:
            raise InputError(f"the measurements have no column {name}", why="the other one of its sensor is there")
    return used


def _unknown_column(name: str, known: list[str], motors: Mapping[str, int]) -> InputError:
    if not known:
        return InputError(
            f"column {name!r} of the measurements belongs to no sensor",
            why="there is none",
            fix='give sensors=[{"sensor": "gyro", "gyroscope": body, "sigma": 0.01}]',
        )
    return unknown("column of measurements", name, ("t", *known, *motors))
