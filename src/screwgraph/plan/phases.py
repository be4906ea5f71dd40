"""The horizon: phases of equal steps, whose durations are given or free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError


@dataclass(frozen=True)
class Phase:
    """So many equal steps that take `duration` (s) together; between `shortest` and `longest` where these are given.

    Where a duration is free, the one given is what the search starts from.
    """

    steps: int
    duration: float
    name: str = ""
    shortest: float | None = None
    longest: float | None = None

    def __post_init__(self) -> None:
        who = f"phase {self.name!r}" if self.name else "the horizon"
        if isinstance(self.steps, bool) or not isinstance(self.steps, int | np.integer) or self.steps < 1:
            raise InputError(f"{who} has {self.steps!r} steps", fix="give a positive whole number")
        _check_positive(who, "duration", self.duration)
        if self.is_free:
            for what, value in (("shortest", self.shortest), ("longest", self.longest)):
                if value is None:
                    raise InputError(f"{who} has no {what} duration", why="a free duration needs both bounds")
                _check_positive(who, f"{what} duration", value)
            low, high = float(self.shortest or 0.0), float(self.longest or 0.0)
            if not low <= self.duration <= high:
                raise InputError(
                    f"{who} starts with {self.duration:g} s", why=f"that is not within {low:g}..{high:g} s"
                )

    @property
    def is_free(self) -> bool:
        """Whether the duration is an unknown."""
        return self.shortest is not None or self.longest is not None


def horizon(steps: int, dt: float | None = None, duration: float | None = None) -> tuple[Phase, ...]:
    """Return the one phase of a horizon of so many steps of dt (s), or of so many that take `duration` (s) together.

    Raises:
        InputError: neither or both are given, or a number is not positive.
    """
    if (dt is None) == (duration is None):
        raise InputError("a horizon needs dt or a duration, and not both")
    whole = duration if duration is not None else _check_positive("the horizon", "dt", dt) * steps
    return (Phase(steps, float(whole)),)


def knot_times(phases: Sequence[Phase]) -> Float[np.ndarray, " K"]:
    """Return the times (s) at which steps begin and end."""
    ends = np.cumsum([0.0, *(p.duration for p in phases)])
    parts = [a + (b - a) * np.arange(p.steps) / p.steps for p, (a, b) in zip(phases, pairwise(ends), strict=True)]
    return np.concatenate([*parts, ends[-1:]])


def _check_positive(who: str, what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < np.inf:
        raise InputError(f"{who}: {what} is {value!r}", why="it must be a positive number of seconds")
    return float(value)
