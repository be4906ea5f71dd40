"""Limits of joint accelerations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.optimize import Factors
from screwgraph.plan.limits.base import bounded, box, read_limit, symmetric
from screwgraph.plan.limits.pieces import from_the_beginning
from screwgraph.plan.steps import Steps


@dataclass(frozen=True, eq=False)
class AccelerationLimit:
    """Joint accelerations stay within bounds (rad/s^2, m/s^2).

    `bounds`: b for +-b, (lower, upper), or {joint: one of these}. A `sigma` makes
    them soft: they cost half the square of what comes nearer than `threshold`, over sigma. Xie et al. (2020), eq. (7).
    """

    bounds: Any = None
    sigma: float | None = None
    threshold: float = 0.0

    read = classmethod(read_limit)

    def factors(self, steps: Steps, name: str) -> Iterable[Factors]:
        """Return one factor for each sample; soft ones for each step that begins without one. Raises InputError."""
        bounds = box(steps.mechanics, self.bounds, lambda joint: symmetric(None), "acceleration")
        yield from from_the_beginning(steps, bounded(steps.qdd[:], bounds, self, name))
