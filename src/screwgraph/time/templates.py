"""Integration rules as templates of factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.time.rule import Positions, Rule, combined


@dataclass(frozen=True)
class StepDefect:
    """The defects of a rule over one step; `is_open`: without an acceleration at its end."""

    rule: Rule
    positions: Positions
    is_open: bool = False

    def __call__(self, *unknowns: Any, h: Any) -> Any:
        """Return the defects; unknowns are q, qd, qdd of one point after the other, h is the step (s)."""
        given = [*unknowns, None] if self.is_open else list(unknowns)
        points = [(given[i], given[i + 1], given[i + 2]) for i in range(0, len(given), 3)]
        return self.rule.defects(self.positions, points, h)


@dataclass(frozen=True)
class RateDefect:
    """What a vector changes by over a step beyond what a rule of two points makes of its rates."""

    rule: Rule

    def __call__(self, x: Any, ahead: Any, *rates: Any, dt: Any) -> Any:
        """Return ahead - x less the integral; `rates` are those at the points that have a weight, dt (s) the step."""
        weights = tuple(w for w in self.rule.weights if w)
        return ahead - x - combined(weights, rates, dt)
