"""Updates of a loop of fixed rate, and readings that come between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from screwgraph.base.errors import InputError
from screwgraph.model.formats import check_increasing
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.online.update_inputs import ON_TIME, count_steps
from screwgraph.motion.estimation.readings.measurements import OWN_TIME, TIME, read_times
from screwgraph.motion.estimation.readings.trajectory_tables import (
    FEWEST,
    are_even,
    read_column,
    validate_times,
)

NARROWEST = 0.5
"""Shortest time between updates, relative to the middle one between readings of the sensor that comes most often."""


@dataclass(frozen=True, eq=False)
class Clock:
    """Times of updates (s), equally far apart; sensors that are `timed` are read between them, too."""

    t: Float[np.ndarray, " N"]
    timed: tuple[str, ...] = ()

    @property
    def dt(self) -> float:
        """Time between updates (s)."""
        return float(self.t[-1] - self.t[0]) / (len(self.t) - 1)

    def place(
        self, sensor: Sensor, times: Float[np.ndarray, " k"], there: Bool[np.ndarray, " k"]
    ) -> tuple[Int[np.ndarray, " k"], Float[np.ndarray, " k"]]:
        """Return at which update each reading is taken, -1 at none, and how long before it came (s).

        It is of a state after the last instant and not after the next; what was before the first is left out.

        Raises:
            InputError: two readings are of states between the same instants.
        """
        late = count_steps(sensor.delay, self.dt, is_timed=True)
        instant = np.ceil((times - sensor.delay - self.t[0]) / self.dt - 1e3 * ON_TIME).astype(int)
        at = np.where(there & (instant > 0) & (instant + late < len(self.t)), instant + late, -1)
        taken, counts = np.unique(at[at >= 0], return_counts=True)
        if (counts > 1).any():
            k = int(taken[np.argmax(counts > 1)])
            raise InputError(
                f"sensor {sensor.name!r} reads {counts.max()} times before the update at t = {self.t[k]:.6g} s",
                why=f"updates are {self.dt:.6g} s apart, and take one reading of each sensor",
                fix="give evenly spaced times t that are closer together",
            )
        return at, self.t[np.maximum(at, 0)] - times


def find_clock(table: Mapping[str, Any], sensors: Sequence[Sensor]) -> Clock:
    """Return the clock of a table: its times "t" where these are even, else steps of the sensor that reads most often.

    Raises:
        InputError: there are no times, they do not grow, or are too few.
    """
    timed = tuple(sensor.name for sensor in sensors if OWN_TIME + sensor.name in table)
    if TIME not in table and not timed:
        raise InputError("the measurements have no times t", fix="give t, or t:SENSOR of each sensor")
    if TIME in table:
        t = read_column(TIME, table[TIME], None, "measurements", missing=True)
        rows = np.flatnonzero(np.isfinite(t))
        check_increasing(t[rows], table, "measurements", rows)
        if len(rows) == len(t) and (len(t) < FEWEST or are_even(np.diff(t))):
            return Clock(validate_times(table, "measurements"), timed)
    used = [s for s in sensors if all(name in table for name in s.columns) and (TIME in table or s.name in timed)]
    read = [_reading_times(table, sensor) for sensor in used]
    read = [times for times in read if len(times) >= FEWEST]
    if not read:
        raise InputError("no sensor reads often enough", why=f"accelerations need {FEWEST} or more readings")
    dt = min(max(float(np.min(steps)), NARROWEST * float(np.median(steps))) for steps in map(np.diff, read))
    first, last = (float(pick([pick(times) for times in read])) for pick in (min, max))
    return Clock(first + dt * np.arange(int(np.ceil((last - first) / dt - ON_TIME)) + 1), tuple(s.name for s in used))


def _reading_times(table: Mapping[str, Any], sensor: Sensor) -> Float[np.ndarray, " k"]:
    times, values = read_times(table, sensor.name, sensor.columns)
    return times[np.isfinite(values).any(axis=1)]
