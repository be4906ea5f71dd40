"""Sweeps over the blocks of impulses of a step, until they obey their laws: Gauss-Seidel's method, as code.

The velocities of rows at the end of a step are w = G x + b, with the Delassus matrix G and impulses x.
Jean (1999), "The non-smooth contact dynamics method".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.laws.laws import FAR, ImpulseLaw, Numbers
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import add_entry, is_zero

SHORTER, SHORTEST = 0.7, 0.05
"""Factor of shares of the way of blocks, where sweeps come no nearer, and the least share."""
PATIENT = 100.0
"""Sweeps with whole ways, and sweeps of a round at most."""
STATE = 6
"""Numbers of the state of a loop of sweeps."""
TOLERANCE, ROUNDINGS = 1e-11, 16.0
"""Change of velocities in a sweep that ends them: so many m/s, and so many roundings of 1 m/s."""


def begin_sweeps(h: Number, most: float = PATIENT) -> list[Number]:
    """Return the state with which a loop of sweeps begins; h is any number, as of `smallest_change`."""
    return [1.0, 0.0, smallest_change(h), 1.0, FAR, most]


def begin_again(state: Numbers, goes: Number) -> list[Number]:
    """Return the state for sweeps with shares of ways, after others came to no end; `goes` says whether to go on."""
    _, count, smallest, share, *_ = state
    return [goes, count, smallest, share, FAR, count + PATIENT]


def advance_sweeps(state: Numbers, change: Number) -> list[Number]:
    """Return the state after a sweep that changed velocities by so much.

    The state is whether to go on, passages, the change that ends them, the share, the last change, and passages at
    most. Where many sweeps come no nearer, as in cycles of contacts that slip, shares become less.
    """
    goes, count, smallest, share, last, most = state
    shorter = choose(count > PATIENT, maximum(SHORTER * share, SHORTEST), share)
    share = choose(change < last, share, shorter)
    more = choose(change > smallest, choose(count < most - 1.5, 1.0, 0.0), 0.0)
    return [choose(goes > 0.5, more, 0.0), count + goes, smallest, share, change, most]


def smallest_change(h: Number) -> Number:
    """Return the change of velocities (m/s) that ends sweeps, in the numbers with which code computes; of any h."""
    return TOLERANCE + ROUNDINGS * rounding(h)


def rounding(h: Number) -> Number:
    """Return the rounding of 1, where 3 (4 / 3 - 1) - 1 is not zero; h is any number, so that code does not know it."""
    third = h / (0.75 * h) - 1.0
    return abs(3.0 * third - 1.0)


def add_vectors(a: Numbers, b: Numbers) -> list[Number]:
    """Return the sum of two vectors."""
    return [x + y for x, y in zip(a, b, strict=True)]


def choose_vector(test: Any, new: Iterable[Number], old: Iterable[Number]) -> list[Number]:
    """Return one of two vectors; both are computed."""
    return [choose(test, x, y) for x, y in zip(new, old, strict=True)]


def largest(numbers: Iterable[Number]) -> Number:
    """Return the largest size of numbers."""
    worst: Number = 0.0
    for value in numbers:
        worst = maximum(worst, abs(value))
    return worst


@dataclass(frozen=True, eq=False)
class ImpulseProblem:
    """Impulses of several laws: the lower triangle of G by rows, b, values of the laws, what they prepared."""

    __repr__ = one_line

    laws: Sequence[ImpulseLaw]
    G: Sequence[Row]
    b: Numbers
    values: Numbers
    prepared: Numbers

    def blocks(self) -> Iterator[tuple[ImpulseLaw, slice, Numbers, Numbers]]:
        """Yield each law, its rows, its values, and what it prepared."""
        row = value = place = 0
        for law in self.laws:
            ends = row + law.rows, value + law.values, place + law.prepared
            yield law, slice(row, ends[0]), self.values[value : ends[1]], self.prepared[place : ends[2]]
            row, value, place = ends

    @property
    def search_problem(self) -> ImpulseProblem:
        """The problem by which searches from afar find impulses, see `ImpulseLaw.search_law`."""
        return replace(self, laws=[law.search_law for law in self.laws])

    def velocity(self, x: Numbers, row: int) -> Number:
        """Return w of a row."""
        found = self.b[row]
        for j, other in enumerate(x):
            upper, lower = max(row, j), min(row, j)
            if lower in self.G[upper]:
                found = found + self.G[upper][lower] * other
        return found

    def sweep(self, x: Numbers, share: Number) -> tuple[list[Number], Number]:
        """Return the impulses after each block went a share of the way to its solution, in turn.

        And the largest change of velocity (m/s) that a block's whole way makes in it.
        """
        ahead, change = list(x), 0.0
        for law, rows, values, prepared in self.blocks():
            before = ahead[rows]
            w = [self.velocity(ahead, row) for row in range(rows.start, rows.stop)]
            ways = [new - old for new, old in zip(law.solve(before, w, values, prepared), before, strict=True)]
            ahead[rows] = [old + share * way for old, way in zip(before, ways, strict=True)]
            for row, way in zip(range(rows.start, rows.stop), ways, strict=True):
                change = maximum(change, abs(way) * self.G[row][row])
        return ahead, change

    def residuals(self, x: Numbers) -> list[Number]:
        """Return velocities (m/s) that are zero where the laws hold."""
        found = list[Number]()
        for law, rows, values, prepared in self.blocks():
            w = [self.velocity(x, row) for row in range(rows.start, rows.stop)]
            found += law.residual(x[rows], w, values, prepared)
        return found

    def residual(self, x: Numbers) -> Number:
        """Return the largest velocity (m/s) by which a law is not obeyed."""
        return largest(self.residuals(x))

    def slopes(self, x: Numbers) -> list[Row]:
        """Return the rows of a generalised Jacobian of `residuals`."""
        found = list[Row]()
        for law, rows, values, prepared in self.blocks():
            own = range(rows.start, rows.stop)
            w = [self.velocity(x, row) for row in own]
            for by_x, by_w in zip(*law.slopes(x[rows], w, values, prepared), strict=True):
                slope: Row = {}
                for i, by_impulse, by_velocity in zip(own, by_x, by_w, strict=True):
                    add_entry(slope, i, by_impulse)
                    for j in range(len(x)):
                        upper, lower = max(i, j), min(i, j)
                        if lower in self.G[upper] and not is_zero(by_velocity):
                            add_entry(slope, j, by_velocity * self.G[upper][lower])
                found.append(slope)
        return found

    def passage(self, x: Numbers, state: Numbers) -> tuple[list[Number], list[Number]]:
        """Return impulses and state after a passage of a loop of sweeps.

        Where it is not to go on, nothing changes: samples side by side go round as often as the slowest.
        """
        goes, _, _, share, _, _ = state
        ahead, change = self.sweep(x, share)
        kept = choose_vector(goes > 0.5, ahead, x)
        return kept, advance_sweeps(state, change)
