"""Which barrier parameter a step goes towards. Nocedal, Waechter & Waltz (2009): adaptive barrier updates."""

from __future__ import annotations

from typing import NamedTuple

from screwgraph.optimize.methods.kkt_errors import KktErrors
from screwgraph.optimize.methods.primal_dual_point import PrimalDualPoint

NEAR = 1.0
"""Error of the KKT conditions below which steps choose the parameter: farther away, constraints bend too much."""
HELD = 0.02
"""Residual of hard factors below which they do: what cannot be met is not left to products that are small."""
REMEMBERED = 4
"""Of so many errors before, the largest one must come down while steps choose."""
LESS = 0.9999
VAIN_TRIES = 2
"""So often steps may choose in vain."""
CENTRED = 0.8
"""Part of the mean product of slacks and multipliers that is the parameter after steps have chosen in vain."""


class BarrierRule(NamedTuple):
    """How often steps chose the parameter in vain, and the last errors while they do.

    They begin to where the problem of one parameter is solved.
    """

    failures: int = 0
    errors: tuple[float, ...] = ()

    @property
    def chooses(self) -> bool:
        """Whether the next step chooses its parameter."""
        return bool(self.errors)

    def after_iteration(
        self, error: KktErrors, point: PrimalDualPoint, smallest: float
    ) -> tuple[BarrierRule, PrimalDualPoint]:
        """Return the rule and the point, with the parameter of the next step unless that step chooses."""
        left, is_centred = error.largest(0.0), error.largest(point.barrier) <= 10.0 * point.barrier
        if not len(point.s):
            return self, point
        if len(self.errors) == REMEMBERED and left > LESS * max(self.errors):
            return self.after_failure(point, smallest)
        near = left < NEAR and error.residual < HELD
        if self.chooses or (near and is_centred and self.failures < VAIN_TRIES):
            return BarrierRule(self.failures, (*self.errors, left)[-REMEMBERED:]), point
        return self, lower_barrier(error, point, smallest)

    def after_failure(self, point: PrimalDualPoint, smallest: float) -> tuple[BarrierRule, PrimalDualPoint]:
        """Return the rule and the point after steps have chosen in vain: now the problem of one parameter is solved."""
        mean = float(point.s @ point.z) / len(point.s)
        return BarrierRule(self.failures + 1), point.with_barrier(max(smallest, CENTRED * mean))


def lower_barrier(error: KktErrors, point: PrimalDualPoint, smallest: float) -> PrimalDualPoint:
    """Return the point with a lower barrier parameter as long as the problem of this one is solved."""
    while error.largest(point.barrier) <= 10.0 * point.barrier and point.barrier > smallest:
        point = point.with_barrier(max(smallest, min(0.2 * point.barrier, point.barrier**1.5)))
    return point
