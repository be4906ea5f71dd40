"""Integration rules as templates of factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.motion.integration_rules.rule import Positions, Rule, combine_rates


@dataclass(frozen=True)
class StepDefect:
    """The defects of a rule over one step; `accelerated` are the points that have an acceleration, None for all."""

    rule: Rule
    positions: Positions
    accelerated: tuple[int, ...] | None = None

    def __call__(self, *unknowns: Any, h: Any) -> Any:
        """Return the defects; unknowns are q, qd, qdd of one point after the other, h is the step (s)."""
        given, count = iter(unknowns), len(self.rule.nodes)
        chosen = range(count) if self.accelerated is None else self.accelerated
        points = [(next(given), next(given), next(given) if i in chosen else None) for i in range(count)]
        return self.rule.defects(self.positions, points, h)


@dataclass(frozen=True)
class RateDefect:
    """Defect of a value over a step: its change beyond what a rule of two points makes of its rates.

    `positions` are its manifold, None of vectors.
    """

    rule: Rule
    positions: Positions | None = None

    def __call__(self, x: Any, ahead: Any, *rates: Any, dt: Any) -> Any:
        """Return ahead - x less the integral; `rates` are those at the points that have a weight, dt (s) the step."""
        change = combine_rates(tuple(w for w in self.rule.weights if w), rates, dt)
        if self.positions is None:
            return ahead - x - change
        return self.positions.defect(self.positions.retract(x, change), ahead)
