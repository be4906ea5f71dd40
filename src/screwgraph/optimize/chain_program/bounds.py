"""Bounds of an interior point: distances t to them, multipliers, and what both add to a Newton step.

A bound of v at b is d = s (v - b) >= 0, s = 1 where it is a lower one, -1 where it is an upper one. A hard bound has a
distance t = d and a multiplier y >= 0 with t y = mu. A soft one may be passed by e >= 0 at the cost l1 e + l2 e^2 / 2:
t = d + e, and e has a multiplier z with e z = mu, y + z = l1 + l2 e, so that a step of e follows from that of v and is
eliminated. Newton's step of these equations makes y = b - D s dv of a step dv. No large numbers cancel as D grows: dv
is small where D is large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.spatial import maximum, minimum, sqrt
from screwgraph.tape import Number

LEAST, MOST = 1e-13, 1e13
"""The least and the largest distance or multiplier: none is zero, those of bounds that cannot be met stay finite."""
AWAY = 0.1
"""The least distance with which all begins."""
NEAR = 0.01
"""A distance beyond which a multiplier that goes on is at least what the barrier asks for."""


@dataclass(frozen=True)
class Bound:
    """A bound of the unknown `index` of an input or a state, `lower` or upper, that is hard or `soft`."""

    index: int
    lower: bool
    soft: bool = False

    @property
    def sign(self) -> float:
        """How the distance grows with the unknown."""
        return 1.0 if self.lower else -1.0

    @property
    def size(self) -> int:
        """How many numbers belong to it: t, y, and e, z of a soft one."""
        return 4 if self.soft else 2


@dataclass(frozen=True)
class Barrier:
    """A bound at a value with its numbers, for a barrier of mu and penalties (l1, l2); see above."""

    bound: Bound
    value: Number
    numbers: Sequence[Number]
    mu: Number
    penalty: tuple[Number, Number]

    def distance(self, v: Number) -> Number:
        """Return how far v is within the bound."""
        return v - self.value if self.bound.lower else self.value - v

    def begin(self, v: Number) -> list[Number]:
        """Return numbers with which all begins, for an unknown v.

        Those of a soft bound keep t = d + e, t y = mu and, where this leaves z > 0, y + z = l1 + l2 e: multipliers that
        had to grow from nothing to the penalty would make the first steps short.
        """
        d = self.distance(v)
        if not self.bound.soft:
            t = maximum(d, AWAY)
            return [t, self.mu / t]
        # The least e has e (l1 + l2 e) = mu.
        l1, l2 = self.penalty
        least = 2.0 * self.mu / (l1 + sqrt(l1 * l1 + 4.0 * l2 * self.mu) + LEAST)
        t, e = maximum(d, 0.0) + least, maximum(-d, 0.0) + least
        y = self.mu / t
        return [t, y, e, maximum(l1 + l2 * e - y, self.mu / e)]

    def keep(self) -> list[Number]:
        """Return the last numbers, with which all goes on; multipliers of far bounds grow with the barrier.

        Newton's step has the slope y / t of a force mu / t: of multipliers that a smaller barrier left, it goes far
        beyond where forces vanish, and further back in the next call. Multipliers of distances that double then reach
        zero: the barrier must not grow because their step is cut there (`StageCode.step`).
        """
        found = [limit(x) for x in self.numbers]
        for i in range(0, len(found), 2):
            found[i + 1] = maximum(found[i + 1], self.mu / maximum(found[i], NEAR))
        return found

    def law(self, v: Number) -> tuple[Number, Number]:
        """Return D and b."""
        t, y, *soft = self.numbers
        inverse, e = 1.0 / t, soft[0] if soft else 0.0
        D, b = y * inverse, (self.mu - y * (self.distance(v) + e - t)) * inverse
        if soft:
            D2, push, share = self._soften(D)
            held = (self.penalty[1] + D2) * share
            return D * held, b * held - D * share * push
        return D, b

    def solve(self, v: Number, dv: Number) -> list[Number]:
        """Return Newton's steps of the numbers, for that of the unknown."""
        t, y, *soft = self.numbers
        inverse, e = 1.0 / t, soft[0] if soft else 0.0
        gap, along = self.distance(v) + e - t, dv if self.bound.lower else -dv
        D, b = y * inverse, (self.mu - y * gap) * inverse
        if soft:
            D2, push, share = self._soften(D)
            de = (b + push - D * along) * share
            return [gap + along + de, b - D * (along + de) - y, de, self.mu / e - soft[1] - D2 * de]
        return [gap + along, b - D * along - y]

    def _soften(self, D: Number) -> tuple[Number, Number, Number]:
        """Return the rate of z with e, what pushes e besides y, and 1 / (l2 + D + D2)."""
        e, z = self.numbers[2:]
        inverse = 1.0 / e
        D2 = z * inverse
        push = self.mu * inverse - self.penalty[0] - self.penalty[1] * e
        return D2, push, 1.0 / (self.penalty[1] + D + D2)


def limit(number: Number) -> Number:
    """Return a distance or a multiplier within what these may be."""
    return minimum(maximum(number, LEAST), MOST)
