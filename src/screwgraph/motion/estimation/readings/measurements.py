"""Measurements of a motion: tables that sensors filled, with what each measured and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.formats import Table, check_increasing, locate_names
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.readings.trajectory_tables import (
    EVEN,
    FEWEST,
    are_even,
    read_column,
)

TORQUE = "tau:"
"""What the names of columns of known torques begin with; the motor follows."""
ROUNDED = 0.01
"""How far from 1 printed digits leave the length of a quaternion."""
TIME = "t"
OWN_TIME = "t:"
"""What the names of columns of a sensor's own times begin with; its name, or that of a column of torques, follows."""
GAP = 10.0
"""So many times the middle step, a step between uneven times is a gap."""
MISSING = 1.5
"""The same where most steps are equal: from here on, a time is missing."""
FILLED = 10
"""Instants that gaps may get, for each instant with a time of its own."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of one sensor: `values` (k, columns) at the instants of numbers `at`.

    `seen` is 1 for rows of its residual that were measured, 0 for others; None where all were. `rows` are their names.
    """

    __repr__ = one_line

    at: Int[np.ndarray, " k"]
    values: Float[np.ndarray, "k columns"]
    seen: Float[np.ndarray, "k rows"] | None
    rows: tuple[str, ...]

    def first_instants(self, count: int) -> Samples:
        """Return those at the first instants."""
        k = int(np.searchsorted(self.at, count))
        return Samples(self.at[:k], self.values[:k], None if self.seen is None else self.seen[:k], self.rows)

    def fill_rows(self, rows: Float[np.ndarray, "k rows"]) -> Float[np.ndarray, "k rows"]:
        """Return values of rows, NaN where nothing was measured."""
        return rows if self.seen is None else np.where(self.seen > 0.0, rows, np.nan)

    def spread(self, rows: Float[np.ndarray, "k rows"] | None, count: int) -> dict[str, Float[np.ndarray, " N"]]:
        """Return values of rows by name, at `count` instants: NaN where nothing was measured."""
        whole = np.full((count, len(self.rows)), np.nan)
        if rows is not None:
            whole[self.at] = self.fill_rows(rows)
        return dict(zip(self.rows, whole.T, strict=True))


@dataclass(frozen=True, eq=False)
class Measurements:
    """Measurements of sensors, and known torques of the motors (N m), at N instants (s)."""

    __repr__ = one_line

    t: Float[np.ndarray, " N"]
    sensors: tuple[Sensor, ...]
    samples: tuple[Samples, ...]
    torques: Float[np.ndarray, "N motors"]

    @property
    def steps(self) -> Float[np.ndarray, " N-1"]:
        """The distances in time (s): those of equal times are exactly equal."""
        return round_steps(self.t)


def validate_measurements(table: Mapping[str, Any], sensors: Sequence[Sensor], motors: Sequence[str]) -> Measurements:
    """Check measurements, {"t": (N,), sensor: (N,), sensor_x: (N,), "tau:motor": (N,), ...}.

    NaN is what was not measured. Columns of a sensor with a column "t:sensor" have these times, as long as they are.
    What sensors with a delay read of times before the first of "t" is left out.
    Sensors without columns are left out; motors without a column have no torque; between times torques are linear.

    Raises:
        InputError: no times, unknown columns or none, half a sensor, empty columns, infinite values, times unsorted,
            other lengths, torques that are not known all the time.
    """
    driven = {TORQUE + name: k for k, name in enumerate(motors)}
    with locate_names(table):
        used = _select_sensors(table, sensors, driven)
    base = [_times(table, TIME, "t")[0]] if TIME in table else []
    begin = float(base[0][0]) if base else -np.inf
    read = [_earlier(s.name, read_times(table, s.name, s.columns), s.delay, begin) for s in used]
    pushed = {name: read_times(table, name, (name,)) for name in driven if name in table}
    with locate_names(table):
        t = merge_times([*base, *(times for times, _ in read)])
    samples = tuple(
        _samples(find_nearest_times(t, times), values, sensor)
        for sensor, (times, values) in zip(used, read, strict=True)
    )
    torques = np.zeros((len(t), len(motors)))
    for name, (times, values) in pushed.items():
        torques[:, driven[name]] = interpolate_torques(name, table, t, times, values[:, 0])
    return Measurements(t, used, samples, torques)


def _select_sensors(table: Any, known: Sequence[Sensor], motors: Mapping[str, int]) -> tuple[Sensor, ...]:
    """Return the sensors that a table has columns of."""
    if not isinstance(table, Mapping) or not any(str(name) == TIME or str(name)[:2] == OWN_TIME for name in table):
        raise InputError("the measurements have no times", fix='give {"t": times, "gyro": angular velocities, ...}')
    columns = [name for sensor in known for name in sensor.columns]
    timed = {OWN_TIME + sensor.name: sensor.columns for sensor in known}
    timed |= {OWN_TIME + name: (name,) for name in motors}
    for name in table:
        if name not in (TIME, *columns, *motors, *timed):
            raise _unknown_column(str(name), columns, (*motors, *timed))
        if name in timed and not any(column in table for column in timed[name]):
            raise InputError(f"the measurements have times {name} of nothing", fix=f"give {', '.join(timed[name])}")
    used = tuple(sensor for sensor in known if any(name in table for name in sensor.columns))
    if not used:
        raise InputError("nothing is measured", fix=f"give columns of sensors, like {', '.join(columns) or 'sensors='}")
    for name in (name for sensor in used for name in sensor.columns):
        if name not in table:
            raise InputError(f"the measurements have no column {name}", why="the other one of its sensor is there")
    return used


def _unknown_column(name: str, columns: list[str], others: Sequence[str]) -> InputError:
    if not columns:
        return InputError(
            f"column {name!r} of the measurements belongs to no sensor",
            why="there is none",
            fix='give sensors=[{"sensor": "gyro", "gyroscope": body, "sigma": 0.01}]',
        )
    return make_unknown_name_error("column of measurements", name, (TIME, *columns, *others))


def _times(table: Mapping[str, Any], key: str, of: str) -> tuple[Float[np.ndarray, " k"], np.ndarray]:
    """Return the times of a column that are there, and which rows these are."""
    if key not in table:
        raise InputError(f"the measurements have no times of {of}", fix=f"give t for all columns, or {OWN_TIME}{of}")
    t = read_column(key, table[key], None, "measurements", missing=True)
    rows = np.flatnonzero(np.isfinite(t))
    if not len(rows):
        raise InputError(f"{key} of the measurements is empty")
    check_increasing(t[rows], table, "measurements", rows)
    return t[rows], rows


def read_times(table: Mapping[str, Any], of: str, names: Sequence[str]) -> tuple[np.ndarray, Float[np.ndarray, "k n"]]:
    """Return the times of columns and their values, NaN where they are missing."""
    key = OWN_TIME + of if OWN_TIME + of in table else TIME
    t, rows = _times(table, key, of)
    columns = [read_column(name, table[name], len(table[key]), "measurements", missing=True) for name in names]
    timeless = np.ones(len(table[key]), dtype=bool)
    timeless[rows] = False
    for name, values in zip(names, columns, strict=True):
        given = np.isfinite(values)
        if not given.any():
            at = table.heading if isinstance(table, Table) else None
            why = f"all of its {len(values)} values are missing (NaN)" if len(values) else ""
            raise InputError(f"column {name} of the measurements is empty", at=at, why=why, fix="leave its sensor out")
        if (given & timeless).any():
            k = int(np.argmax(given & timeless))
            at = table.place(k) if isinstance(table, Table) else None
            raise InputError(f"sample {k} of {name} has no time", at=at, fix=f"give {key}, or no value")
    return t, np.stack([values[rows] for values in columns], axis=1)


def _earlier(
    name: str, read: tuple[np.ndarray, np.ndarray], delay: float, begin: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return what was read with times at which it was so, from `begin` (s) on. Raises InputError where nothing is."""
    if not delay:
        return read
    times, values = read[0] - delay, read[1]
    kept = np.isfinite(values).any(axis=1) & (times > begin - EVEN * delay)
    if not kept.any():
        raise InputError(
            f"sensor {name!r} reads nothing of what was after t = {begin:.6g} s", why=f"its delay is {delay:g} s"
        )
    return times[kept], values[kept]


def _samples(at: Int[np.ndarray, " k"], values: Float[np.ndarray, "k n"], sensor: Sensor) -> Samples:
    """Return what was measured at instants, without samples of which nothing was."""
    given, column_of = np.isfinite(values), {name: i for i, name in enumerate(sensor.columns)}
    needed = [[column_of[name] for name in names] for names in sensor.rows.values()]
    if sensor.unit_columns:
        quaternion = [column_of[name] for name in sensor.unit_columns]
        values[:, quaternion] = _unit(values[:, quaternion], sensor.unit_columns[0])
    seen = np.stack([given[:, columns].all(axis=1) for columns in needed], axis=1)
    some = seen.any(axis=1)
    at, values, seen = at[some], np.where(given, values, 0.0)[some], seen[some]
    return Samples(at, values, None if seen.all() else seen.astype(float), tuple(sensor.rows))


def _unit(values: Float[np.ndarray, "k 4"], name: str) -> Float[np.ndarray, "k 4"]:
    """Return measured quaternions at unit length. Raises InputError where that is not what rounding left of it."""
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    off = np.abs(lengths[:, 0] - 1.0) > ROUNDED
    if off.any():
        raise InputError(
            f"the quaternion {name} ... of the measurements has the length {lengths[off][0, 0]:.6g}",
            why="rotations are unit quaternions (x, y, z, w)",
        )
    return values / lengths


def describe_missing_torque(name: str, table: Mapping[str, Any], t: float) -> InputError:
    """Return what to say of a known torque that a table does not have at a time (s); with file and line of a file."""
    times = np.asarray(table[OWN_TIME + name if OWN_TIME + name in table else TIME], dtype=float)
    return InputError(
        f"{name} of the measurements is missing (NaN) at t = {t:.6g} s",
        at=table.place(int(np.argmax(times == t))) if isinstance(table, Table) else None,
        why="torques are taken as they are, not estimated from neighbours",
        fix="fill it in, or leave the column out and name its motor among inputs=, whose torques are unknown",
    )


def interpolate_torques(
    name: str, table: Mapping[str, Any], t: np.ndarray, times: np.ndarray, values: np.ndarray
) -> Float[np.ndarray, " N"]:
    """Return known torques at all instants: linear between their own times."""
    if not np.isfinite(values).all():
        raise describe_missing_torque(name, table, float(times[np.argmin(np.isfinite(values))]))
    slack = EVEN * float(np.median(np.diff(t))) + 1e-12
    if times[0] > t[0] + slack or times[-1] < t[-1] - slack:
        raise InputError(
            f"{name} is known from t = {times[0]:.6g} s to {times[-1]:.6g} s only",
            why=f"there are measurements from {t[0]:.6g} s to {t[-1]:.6g} s",
        )
    return np.interp(t, times, values)


def merge_times(times: Sequence[Float[np.ndarray, " k"]]) -> Float[np.ndarray, " N"]:
    """Return all times (s), once each; longer gaps among them get instants at the usual distance.

    Times that differ by what printed digits explain are one instant. Steps are then short enough for integration.

    Raises:
        InputError: too few times, or a gap that is far longer than all that was measured.
    """
    t = np.unique(np.concatenate(times))
    if len(t) > 1:
        t = t[np.concatenate([[True], np.diff(t) > EVEN * np.median(np.diff(t)) + 1e-12])]
    if len(t) < FEWEST:
        raise InputError(f"the measurements have {len(t)} samples", why=f"accelerations need {FEWEST} or more")
    steps = np.diff(t)
    middle = float(np.median(steps))
    are_mostly_even = np.mean(np.abs(steps - middle) <= EVEN * middle + 1e-12) >= 0.5
    parts = np.where(steps > (MISSING if are_mostly_even else GAP) * middle, np.rint(steps / middle), 1.0)
    if parts.sum() > FILLED * len(t):
        k = int(np.argmax(steps))
        raise InputError(
            f"nothing is measured for {steps[k]:.6g} s after t = {t[k]:.6g} s",
            why=f"elsewhere samples are {middle:.6g} s apart",
            fix="check the unit of the times (s), or estimate both parts on their own",
        )
    inside = [a + h / n * np.arange(int(n)) for a, h, n in zip(t[:-1], steps, parts, strict=True) if n > 1.0]
    return np.unique(np.concatenate([t, *inside]))


def round_steps(t: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N-1"]:
    """Return the distances of instants (s): those of equal distances are exactly equal."""
    steps, mean = np.diff(t), float(t[-1] - t[0]) / (len(t) - 1)
    return np.full(len(steps), mean) if are_even(steps) else steps


def find_nearest_times(t: Float[np.ndarray, " N"], times: Float[np.ndarray, " k"]) -> Int[np.ndarray, " k"]:
    """Return the numbers of the instants nearest to some times."""
    after = np.clip(np.searchsorted(t, times), 1, len(t) - 1)
    return np.where(times - t[after - 1] < t[after] - times, after - 1, after)
