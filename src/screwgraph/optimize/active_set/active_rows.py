"""The active rows of a quadratic program: their normals N in slots, and the dual vectors D with D N' = 1.

Unknowns are y = L' x, L L' = H, so that the program asks for the point nearest to y0 = -L^-1 g. Rows are
n_j'y >= b_j, with multipliers between 0 and the penalty of the row. Goldfarb and Idnani (1983) keep the same
N* = D; here products with N correct those with D, so that rounding does not pile up as rows come and go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.optimize.dense_factors import Numbers, flag
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number, dot

SAME = 1e-13
"""Part of the square of a normal's length that others leave of it, up to which it depends on them."""
LITTLE = 1e-12
"""Part of a multiplier's rate of change that is rounding."""


@dataclass(frozen=True)
class Slots:
    """Rows in slots: normals and dual vectors by rows, numbers of the rows (-1: none), b, penalties, multipliers."""

    normals: Sequence[Numbers]
    duals: Sequence[Numbers]
    row: Numbers
    bound: Numbers
    penalty: Numbers
    multiplier: Numbers

    @property
    def count(self) -> int:
        """How many slots there are."""
        return len(self.row)

    def combine(self, weights: Numbers, vectors: Sequence[Numbers]) -> list[Number]:
        """Return a sum of vectors of the slots."""
        return [dot(weights, column) for column in zip(*vectors, strict=True)]

    def nearest(self, y0: Numbers) -> tuple[list[Number], list[Number]]:
        """Return the point nearest to y0 with n_j'y = b_j, and the multipliers."""
        y = list(y0)
        for _ in range(2):
            gaps = [b - dot(n, y) for b, n in zip(self.bound, self.normals, strict=True)]
            y = [a + b for a, b in zip(y, self.combine(gaps, self.duals), strict=True)]
        change = [a - b for a, b in zip(y, y0, strict=True)]
        return y, [dot(d, change) for d in self.duals]

    def step_length(self, rates: Numbers, most: Number) -> tuple[Number, Number, Number]:
        """Return how far multipliers go at their rates before one meets a bound, at most `most`, and its slot.

        And whether that bound is the penalty; the slot is -1 where none does.
        """
        length, slot, high = most, -1.0, 0.0
        for j, (rate, x, penalty) in enumerate(zip(rates, self.multiplier, self.penalty, strict=True)):
            counts = flag(abs(rate) > LITTLE)
            inverse = 1.0 / choose(counts, rate, 1.0)
            left = maximum((penalty - x) * inverse, -x * inverse)
            is_next = flag(left < length) * counts
            length = choose(is_next, left, length)
            slot = slot + is_next * (j - slot)
            high = high + is_next * (flag(rate > 0.0) - high)
        return length, slot, high

    def move_multipliers(self, rates: Numbers, length: Number) -> list[Number]:
        """Return the multipliers after a way, within their bounds."""
        ahead = [x + length * rate for x, rate in zip(self.multiplier, rates, strict=True)]
        return [maximum(0.0, minimum(x, most)) for x, most in zip(ahead, self.penalty, strict=True)]

    def first_free(self) -> tuple[Number, Number]:
        """Return the first slot that is free, and whether there is one."""
        found, is_found = 0.0, 0.0
        for j in reversed(range(self.count)):
            is_free = flag(self.row[j] < -0.5)
            found, is_found = found + is_free * (j - found), maximum(is_found, is_free)
        return found, is_found
