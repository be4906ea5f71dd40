"""External wrenches over time: constants, samples, functions of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_signature, convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.formats import check_increasing
from screwgraph.model.functions_of_time import TIME
from screwgraph.motion.simulation.system import Dynamics
from screwgraph.motion.simulation.wrench_efforts import WHY, WRENCHES, WrenchEfforts

Evaluation = Callable[[float, np.ndarray, np.ndarray], Any]
"""A wrench as a function of t (s), q and qd."""
ROUNDING = 1e-9
"""Part of a time by which sums of steps may lie outside of samples."""


@dataclass(frozen=True, eq=False)
class WrenchSamples:
    """A wrench that is linear between samples (N, k) at times (s)."""

    __repr__ = one_line

    t: Float[np.ndarray, " N"]
    values: Float[np.ndarray, "N k"]

    def __call__(self, t: float, q: np.ndarray, qd: np.ndarray) -> Float[np.ndarray, " k"]:
        """Return the wrench at a time (s). Raises InputError outside of the samples."""
        first, last = self.t[0], self.t[-1]
        if not first - ROUNDING <= t <= last + ROUNDING * abs(last):
            raise InputError(
                f"{WRENCHES}: samples are from t = {first:g} to {last:g} s, the motion is at {t:g} s",
                fix="give samples over the whole motion, zero where nothing acts",
            )
        return np.array([np.interp(t, self.t, column) for column in self.values.T])


@dataclass(frozen=True, eq=False)
class ExternalWrenches:
    """Wrenches on frames of a model, or forces on a mechanism's points: arrays (..., k), or functions of t, q, qd."""

    __repr__ = one_line

    efforts: WrenchEfforts
    values: tuple[Float[np.ndarray, "... k"] | Evaluation, ...]

    @classmethod
    def read(cls, dynamics: Dynamics, given: Mapping[str, Any] | None, axes: int = 1) -> ExternalWrenches | None:
        """Read what a user gives by name; None where that is nothing. Arrays have up to so many axes.

        With samples, {"t": times (N,), name: (N, k)}, wrenches are linear between them.

        Raises:
            InputError: a name that means nothing, or what is no wrench over time.
        """
        if not given:
            return None
        sampled = TIME in given
        names = tuple(name for name in given if name != TIME)
        if not names:
            raise InputError(f"{WRENCHES} have times, and nothing over these", fix='{"t": times, frame: samples}')
        efforts = dynamics.take_wrenches(names)
        sizes = zip(names, efforts.sizes, strict=True)
        if sampled:
            return cls(efforts, tuple(_read_samples(given[TIME], name, given[name], size) for name, size in sizes))
        return cls(efforts, tuple(_read_value(name, given[name], size, axes) for name, size in sizes))

    def acting_on(self, dynamics: Dynamics) -> ExternalWrenches:
        """Return the same wrenches on another model with these names."""
        return replace(self, efforts=dynamics.take_wrenches(self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """On what they act."""
        return self.efforts.names

    @property
    def is_function(self) -> bool:
        """Whether one of them is a function."""
        return any(map(callable, self.values))

    @property
    def motions(self) -> int:
        """For how many motions they are."""
        counts = (value.shape[-2] for value in self.values if not callable(value) and value.ndim > 1)
        return max(counts, default=1)

    @property
    def stacked(self) -> Float[np.ndarray, "... n"]:
        """All of them, one after the other, where none is a function."""
        return stack_wrenches([value for value in self.values if not callable(value)])

    def evaluate(
        self, t: float, q: Float[np.ndarray, "*B nq"], qd: Float[np.ndarray, "*B nv"]
    ) -> Float[np.ndarray, "*B n"]:
        """Return all of them, one after the other, in a state or states. Raises InputError for what is no wrench."""
        found, batch = list[np.ndarray](), q.shape[:-1]
        for name, value, size in zip(self.names, self.values, self.efforts.sizes, strict=True):
            if callable(value):
                found.append(_check_answer(name, value(t, q.copy(), qd.copy()), size, q, t))
            else:
                found.append(np.broadcast_to(value, (*batch, size)))
        return np.concatenate(found, axis=-1)

    def by_name(self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> dict[str, np.ndarray]:
        """Return the wrench of each name in a state. Raises InputError for what is no wrench."""
        parts = np.split(self.evaluate(t, q, qd), np.cumsum(self.efforts.sizes)[:-1])
        return dict(zip(self.names, parts, strict=True))

    def along(
        self, t: Float[np.ndarray, " N"], q: Float[np.ndarray, "N nq"], qd: Float[np.ndarray, "N nv"]
    ) -> Float[np.ndarray, "N n"]:
        """Return all of them along a motion."""
        return np.array([self.evaluate(*state) for state in zip(t.tolist(), q, qd, strict=True)])


def describe_wrenches(
    dynamics: Dynamics, efforts: WrenchEfforts, values: Float[np.ndarray, "N n"]
) -> Mapping[str, Float[np.ndarray, "N 6"]]:
    """Return wrenches by frame, moments (N m) and forces (N), of all one after the other."""
    parts = np.split(values, np.cumsum(efforts.sizes)[:-1], axis=-1)
    return add_wrenches(*(dynamics.describe_wrench(*own) for own in zip(efforts.names, parts, strict=True)))


def add_wrenches(*wrenches: tuple[str, Float[np.ndarray, "N 6"]]) -> Mapping[str, Float[np.ndarray, "N 6"]]:
    """Return the sums of wrenches on each frame."""
    found = dict[str, np.ndarray]()
    for frame, W in wrenches:
        found[frame] = found[frame] + W if frame in found else W
    return found


def stack_wrenches(values: Sequence[Float[np.ndarray, "... k"]]) -> Float[np.ndarray, "... n"]:
    """Return wrenches of several names, one after the other; arrays of fewer axes are for all of the others'.

    Raises InputError where they are for different numbers of steps or motions.
    """
    most = max(value.ndim for value in values)
    whole = [value.reshape((1,) * (most - value.ndim) + value.shape) for value in values]
    try:
        shape = np.broadcast_shapes(*(value.shape[:-1] for value in whole))
    except ValueError:
        raise InputError(
            f"{WRENCHES} have the shapes {', '.join(str(value.shape) for value in values)}",
            why="those of several frames are for as many motions and steps",
            fix="give as many of each, or one",
        ) from None
    return np.concatenate([np.broadcast_to(value, (*shape, value.shape[-1])) for value in whole], axis=-1)


def _read_value(name: str, given: Any, size: int, axes: int) -> Float[np.ndarray, "... k"] | Evaluation:
    if callable(given):
        check_signature(f"{WRENCHES}[{name!r}]", given, ("t", "q", "qd"))
        return given
    value = _convert(given)
    if not 1 <= value.ndim <= axes or value.shape[-1] != size or not np.isfinite(value).all() or not value.size:
        shapes = [f"({size},)", f"(B, {size}) for each motion", f"(N, B, {size}) for each step"][:axes]
        raise InputError(
            f"{WRENCHES}: that of {name!r} has the shape {value.shape}, or numbers that are not finite",
            why=WHY,
            fix=f"give {', '.join(shapes)}, or a function of t, q and qd",
        )
    return value


def _check_answer(name: str, answer: Any, size: int, q: np.ndarray, t: float) -> np.ndarray:
    """Return a wrench, or one a state of a batch; of states that have diverged it may be no number."""
    value, batch = _convert(answer), q.shape[:-1]
    fits = value.shape in ((size,), (*batch, size))
    if not fits or (~np.isfinite(value).all(axis=-1) & np.isfinite(q).all(axis=-1)).any():
        expected = f"({size},)" + (f" or ({batch[0]}, {size})" if batch else "")
        raise InputError(
            f"{WRENCHES}: the function of {name!r} returns the shape {value.shape}, or no finite numbers, "
            f"at t = {t:g} s",
            why=WHY,
            fix=f"return {expected}",
        )
    return np.broadcast_to(value, (*batch, size))


def _read_samples(times: Any, name: str, given: Any, size: int) -> WrenchSamples:
    t, values = _convert(times), _convert(given)
    if t.ndim != 1 or not len(t) or values.shape != (len(t), size) or not np.isfinite(values).all():
        raise InputError(
            f"{WRENCHES}: samples of {name!r} have the shape {values.shape}, times {t.shape}",
            why=WHY,
            fix=f"give times (N,) and finite samples (N, {size})",
        )
    check_increasing(t, {}, WRENCHES, np.arange(len(t)))
    return WrenchSamples(t, values)


def _convert(value: Any) -> np.ndarray:
    try:
        return convert_numbers(value)
    except (TypeError, ValueError):
        return np.full((0,), np.nan)
