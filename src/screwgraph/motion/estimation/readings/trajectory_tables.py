"""Motions that a mechanism shall follow: coordinates at times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import describe_value
from screwgraph.base.errors import InputError
from screwgraph.model.formats import Table, check_increasing, locate_names
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.motion.estimation.readings.smoothing_spline import FEWEST, doubt_spacing, smooth_samples
from screwgraph.optimize import each

TIMES = ("time", "times", "timestamp", "stamp", "T", "Time", "t (s)", "t [s]", "time (s)", "time [s]", "seconds")
"""Names that other programs give to the column t (s)."""
EVEN = 1e-6
"""Differences of time steps, relative to a step, that printed digits explain."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Coordinates, by place in q, at N times at equal distances (s), and their derivatives (SI units): smoothed.

    `given` (N, k) is what was to be followed, `sigma` (k,) its standard deviation, `doubts` those about its samples.
    """

    t: Float[np.ndarray, " N"]
    coordinates: tuple[int, ...]
    values: Float[np.ndarray, "N k"]
    rates: Float[np.ndarray, "N k"]
    accelerations: Float[np.ndarray, "N k"]
    given: Float[np.ndarray, "N k"]
    sigma: Float[np.ndarray, " k"]
    doubts: tuple[str, ...] = ()

    @property
    def dt(self) -> float:
        """The distance in time (s)."""
        return float(self.t[1] - self.t[0])


def make_reference(mechanism: Mechanism, trajectory: Mapping[str, Any], noise: Any = None) -> Reference:
    """Check a trajectory, {"t": (N,), coordinate: (N,), ...}, smooth it by its noise, and differentiate it.

    Raises:
        InputError: no times, unknown or too few coordinates, gaps, NaN, unsorted or uneven times, other lengths, or a
            noise that is none.
    """
    with locate_names(trajectory):
        names, coordinates = _coordinates(mechanism, trajectory)
    t = validate_times(trajectory, "trajectory")
    values = np.stack([read_column(name, trajectory[name], len(t)) for name in names], axis=1)
    levels = noise_levels(noise, names)
    found = smooth_samples(values, float(t[1] - t[0]), levels)
    doubts = doubt_spacing(names, values, levels, found, t)
    return Reference(t, coordinates, found.values, found.rates, found.accelerations, values, found.sigma, doubts)


def noise_levels(noise: Any, names: Sequence[str]) -> Float[np.ndarray, " k"]:
    """Return standard deviations of a trajectory's columns, NaN where none is given: a number, or {column: number}.

    Raises:
        InputError: unknown columns, or what is no standard deviation.
    """
    each_noise = noise if isinstance(noise, Mapping) else dict.fromkeys(names, noise)
    for name, level in each_noise.items():
        if name not in names:
            raise InputError(f"noise names {name!r}", why=f"the trajectory gives {', '.join(names)}")
        if level is not None and not (isinstance(level, (int, float, np.number)) and 0.0 <= level < np.inf):
            fix = "give a number (m, rad), {coordinate: number, ...}, or leave it out"
            raise InputError(f"noise of {name}: expected a standard deviation, got {describe_value(level)}", fix=fix)
    levels = [each_noise.get(name) for name in names]
    return np.array([np.nan if level is None else float(level) for level in levels])


def list_columns(trajectory: Any, example: str) -> list[str]:
    """Return the names of a trajectory's columns beside its times. Raises InputError where it has no times."""
    if isinstance(trajectory, Mapping) and "t" in trajectory:
        return [name for name in trajectory if name != "t"]
    others = [name for name in trajectory if name in TIMES] if isinstance(trajectory, Mapping) else []
    fix = f"call its column {others[0]!r} t" if others else f'give {{"t": times, "{example}": angles, ...}}'
    raise InputError("the trajectory has no times", fix=fix)


def _coordinates(mechanism: Mechanism, trajectory: Any) -> tuple[list[str], tuple[int, ...]]:
    """Return the names of a trajectory's columns, and their places in q."""
    names = list_columns(trajectory, "theta")
    coordinates = tuple(mechanism.index(name) for name in names)
    if len(names) != mechanism.dof:
        raise InputError(
            f"the trajectory gives {len(names)} coordinates",
            why=f"the mechanism has {mechanism.dof} degrees of freedom",
            fix=f"give as many, like {', '.join(mechanism.independent_coordinates)}",
        )
    return names, coordinates


def read_column(
    name: str, values: Any, length: int | None, of: str = "trajectory", *, missing: bool = False
) -> Float[np.ndarray, " N"]:
    """Return a column of a table as numbers, of which NaN is one where values may be `missing`.

    Raises:
        InputError: not real numbers, not finite, or not of that length.
    """
    try:
        given = np.asarray(values)
        array = None if np.iscomplexobj(given) else given.astype(float)
    except (TypeError, ValueError):
        array = None
    if array is None:
        raise InputError(f"{name} of the {of} does not hold real numbers", fix="give one number for each time")
    if array.ndim != 1 or (length is not None and len(array) != length):
        raise InputError(f"{name} of the {of} has the shape {array.shape}", fix="give one number for each time")
    sound = ~np.isinf(array) if missing else np.isfinite(array)
    if not sound.all():
        raise InputError(f"{name} of the {of} is not finite at sample {int(np.argmin(sound))}")
    return array


def are_even(steps: Float[np.ndarray, " k"]) -> bool:
    """Return whether time steps are equal but for printed digits."""
    return not (np.abs(steps - steps.mean()) > EVEN * steps.mean() + 1e-12).any()


def merge_equal_values(values: Float[np.ndarray, " k"]) -> Any:
    """Return equal values as one number, others as one for each factor."""
    return values[0] if are_even(values) else each(values)


def validate_times(table: Mapping[str, Any], of: str) -> Float[np.ndarray, " N"]:
    """Return the times of a table: they grow by equal steps, and are `FEWEST` or more.

    Raises:
        InputError: they do not; with the line where the table was read from a file.
    """
    t = read_column("t", table["t"], None, of)
    if len(t) < FEWEST:
        at = table.file if isinstance(table, Table) else None
        raise InputError(f"the {of} has {len(t)} samples", at=at, why=f"accelerations need {FEWEST} or more")
    check_increasing(t, table, of, np.arange(len(t)))
    steps = np.diff(t)
    middle = float(np.median(steps))
    if not are_even(steps):
        k = int(np.argmax(np.abs(steps - middle)))
        raise InputError(
            f"the times of the {of} are not evenly spaced: {steps[k]:.6g} s after t = {t[k]:.6g} s",
            at=table.place(k + 1) if isinstance(table, Table) else None,
            why=f"elsewhere they are {middle:.6g} s apart",
            fix="fill the gap, or resample it",
        )
    return t
