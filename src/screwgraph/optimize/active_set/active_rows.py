"""The active rows of a quadratic program: multipliers between 0 and the penalty of the row, in slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.optimize.active_set.selection import Candidate, find_least
from screwgraph.optimize.dense_factors import Numbers, flag
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number

SAME = 1e-13
"""Part of the square of a normal's length that others leave of it, up to which it depends on them."""
LITTLE = 1e-12
"""Part of a multiplier's rate of change that is rounding."""


@dataclass(frozen=True)
class Slots:
    """Rows in slots: their numbers (-1: none), penalties, multipliers.

    With `holds`, those with negative penalties are held: their multipliers have no bounds.
    """

    row: Numbers
    penalty: Numbers
    multiplier: Numbers
    holds: bool = False

    def step_length(self, rates: Numbers, most: Number) -> Candidate:
        """Return how far multipliers go at their rates before one meets a bound, at most `most`, and its slot.

        And whether that bound is the penalty; the slot is -1 where none does.
        """
        found: list[Candidate] = [(most, -1.0, 0.0)]
        for j, (rate, x, penalty) in enumerate(zip(rates, self.multiplier, self.penalty, strict=True)):
            counts = self.keep_bounded(abs(rate) > LITTLE, penalty)
            inverse = 1.0 / choose(counts, rate, 1.0)
            left = choose(counts, maximum((penalty - x) * inverse, -x * inverse), most)
            found.append((left, float(j), flag(rate > 0.0)))
        return find_least(found)

    def move_multipliers(self, rates: Numbers, length: Number) -> list[Number]:
        """Return the multipliers after a way, within their bounds."""
        ahead = [x + length * rate for x, rate in zip(self.multiplier, rates, strict=True)]
        kept = [maximum(0.0, minimum(x, most)) for x, most in zip(ahead, self.penalty, strict=True)]
        if not self.holds:
            return kept
        return [choose(most < 0.0, x, y) for x, y, most in zip(ahead, kept, self.penalty, strict=True)]

    def keep_bounded(self, condition: Any, penalty: Number) -> Any:
        """Return a condition, false of rows whose multipliers have no bounds."""
        return flag(condition) * flag(penalty >= 0.0) > 0.5 if self.holds else condition

    def first_free(self) -> Number:
        """Return the first slot that is free, 0 where there is none."""
        slots = [(choose(row < -0.5, float(j), float(len(self.row))), float(j)) for j, row in enumerate(self.row)]
        return find_least(slots)[1]
