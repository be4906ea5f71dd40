"""Bounds of neighbouring unknowns that are alike: their numbers stand so that unknowns can go side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.optimize.chain_program.bounds import Barrier, Bound
from screwgraph.optimize.dense_factors import ENDLESS
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number


@dataclass(frozen=True)
class BoundGroup:
    """The bounds of `count` unknowns from `first` on, each with the same `kinds`; their values begin at `value`.

    Values: all of the first kind, then all of the second. Numbers: t of all unknowns, y of all, e, z, then those of the
    next kind; so are penalties: l1 of all, l2 of all.
    """

    first: int
    count: int
    kinds: tuple[Bound, ...]
    value: int
    number: int
    penalty: int

    @property
    def values(self) -> list[int]:
        """Places of the values of the first unknown."""
        return [self.value + k * self.count for k in range(len(self.kinds))]

    @property
    def numbers(self) -> list[int]:
        """Places of the numbers of the first unknown."""
        return [self.number + k * self.count for k in range(sum(kind.size for kind in self.kinds))]

    @property
    def penalties(self) -> list[int]:
        """Places of the penalties of the first unknown."""
        return [self.penalty + k * self.count for k in range(2 * sum(kind.soft for kind in self.kinds))]

    def own(self, i: int, bound: Any, numbers: Any, penalties: Any) -> list[list[Any]]:
        """Return values, numbers and penalties of unknown i of the group, from those of all."""
        pairs = ((bound, self.values), (numbers, self.numbers), (penalties, self.penalties))
        return [[vector[place + i] for place in places] for vector, places in pairs]

    @property
    def given_penalties(self) -> list[int]:
        """Sources of the penalties among l1, l2 of each bound side by side, in the order of the group's."""
        rows = sum(kind.soft for kind in self.kinds)
        pairs = ((row, part, i) for row in range(rows) for part in range(2) for i in range(self.count))
        return [self.penalty + 2 * (row * self.count + i) + part for row, part, i in pairs]

    # What is computed for one unknown v, of its values, numbers, the barrier and penalties.

    def barriers(self, values: Any, numbers: Any, mu: Number, penalties: Any) -> list[Barrier]:
        """Return the bounds of an unknown."""
        found, place, soft = list[Barrier](), 0, 0
        for kind, value in zip(self.kinds, values, strict=True):
            penalty = (penalties[soft], penalties[soft + 1]) if kind.soft else (0.0, 0.0)
            found.append(Barrier(kind, value, numbers[place : place + kind.size], mu, penalty))
            place, soft = place + kind.size, soft + 2 * kind.soft
        return found

    def begin(self, v: Number, warm: Number, barriers: Sequence[Barrier]) -> list[Number]:
        """Return numbers with which all begins: the last ones, if they are numbers, or fresh ones."""
        found = list[Number]()
        for barrier in barriers:
            pairs = zip(barrier.numbers, barrier.keep(), barrier.begin(v), strict=True)
            found += [choose((warm > 0.5) * (abs(x) < ENDLESS) > 0.5, kept, new) for x, kept, new in pairs]
        return found

    def condense(self, v: Number, barriers: Sequence[Barrier]) -> list[Number]:
        """Return what bounds add to the second and to the first derivative."""
        laws = [(barrier.bound.sign, *barrier.law(v)) for barrier in barriers]
        return [sum((D for _, D, _ in laws), start=0.0), sum((-sign * b for sign, _, b in laws), start=0.0)]

    def measure(self, v: Number, dv: Number, reach: Sequence[Number], barriers: Sequence[Barrier]) -> list[Number]:
        """Return Newton's steps of the numbers, and the largest parts of t, e and of y, z that any of them takes."""
        found, parts = list[Number](), list(reach)
        for barrier in barriers:
            changes = barrier.solve(v, dv)
            for k, (now, change) in enumerate(zip(barrier.numbers, changes, strict=True)):
                parts[k % 2] = maximum(parts[k % 2], -change / now)
            found += changes
        return [*found, *parts]


def move(now: Number, change: Number, step: Number) -> Number:
    """Return a number after a part of its step: where that is none, the step may be no number."""
    return choose(step > 0.0, now + step * change, now)


def find_groups(
    inputs: Sequence[Bound], states: Sequence[Bound], nu: int, rows: Sequence[Bound] = (), nx: int = 0
) -> list[BoundGroup]:
    """Return bounds by groups, in their order; unknowns are w = (u, x', C z)."""
    found, value, number, penalty = list[BoundGroup](), 0, 0, 0
    for first, bounds in ((0, inputs), (nu, states), (nu + nx, rows)):
        for kinds, count in _split(bounds):
            found.append(BoundGroup(first + kinds[0].index, count, kinds, value, number, penalty))
            value += count * len(kinds)
            number += count * sum(kind.size for kind in kinds)
            penalty += 2 * count * sum(kind.soft for kind in kinds)
    return found


def _split(bounds: Sequence[Bound]) -> Iterator[tuple[tuple[Bound, ...], int]]:
    """Yield kinds of bounds of neighbours, and how many neighbours have them."""
    at = 0
    while at < len(bounds):
        count = _run(bounds, at)
        kinds, then = [bounds[at]], at + count
        while then < len(bounds) and bounds[then].index == bounds[at].index and _run(bounds, then) >= count:
            kinds.append(bounds[then])
            then += count
        yield tuple(kinds), count
        at = then


def _run(bounds: Sequence[Bound], at: int) -> int:
    """Return how many bounds from one on are alike, of one unknown after the other."""
    one, count = bounds[at], 1
    while at + count < len(bounds) and bounds[at + count] == Bound(one.index + count, one.lower, one.soft):
        count += 1
    return count
