"""The horizon: phases of equal steps, whose durations are given or free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError


@dataclass(frozen=True)
class Phase:
    """So many steps that take `duration` (s) together; between `shortest` and `longest` where these are given.

    Where a duration is free, the one given is what the search starts from. Steps are equal, or end at `mesh`: ascending
    parts of the duration, one for each step, the last 1.
    """

    steps: int
    duration: float
    name: str = ""
    shortest: float | None = None
    longest: float | None = None
    mesh: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        who = f"phase {self.name!r}" if self.name else "the horizon"
        if isinstance(self.steps, bool) or not isinstance(self.steps, int | np.integer) or self.steps < 1:
            raise InputError(f"{who} has {self.steps!r} steps", fix="give a positive whole number")
        _check_positive(who, "duration", self.duration)
        if self.mesh is not None:
            object.__setattr__(self, "mesh", tuple(float(part) for part in self.mesh))
            if len(self.mesh) != self.steps or self.mesh[-1] != 1.0 or not (self.lengths > 0.0).all():
                raise InputError(
                    f"the mesh of {who} is {self.mesh!r}",
                    why=f"it must have {self.steps} ascending parts of the duration",
                    fix="give the part at which each step ends, the last is 1",
                )
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
    def edges(self) -> Float[np.ndarray, " k"]:
        """Parts of the duration at which steps begin and end."""
        if self.mesh is None:
            return np.arange(self.steps + 1) / self.steps
        return np.array([0.0, *self.mesh])

    @property
    def lengths(self) -> Float[np.ndarray, " n"]:
        """Parts of the duration that steps last."""
        return np.full(self.steps, 1.0 / self.steps) if self.mesh is None else np.diff(self.edges)

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


def point_times(
    phases: Sequence[Phase], nodes: Sequence[float], durations: Float[np.ndarray, " P"] | None = None
) -> Float[np.ndarray, " K"]:
    """Return the times (s) of the points of all steps, at `nodes` (0 to 1) of each; durations (s) are the phases'."""
    chosen = [p.duration for p in phases] if durations is None else durations.tolist()
    ends, parts = np.cumsum([0.0, *chosen]), []
    for phase, (a, b) in zip(phases, pairwise(ends), strict=True):
        places = phase.edges[:-1, None] + phase.lengths[:, None] * np.array(nodes[:-1])
        parts.append(a + (b - a) * places.ravel())
    return np.concatenate([*parts, ends[-1:]])


def _check_positive(who: str, what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < np.inf:
        raise InputError(f"{who}: {what} is {value!r}", why="it must be a positive number of seconds")
    return float(value)
