"""Costs of tasks: weighted squares of numbers that are affine in u, and in what many of them have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.motion.control.affine import Affine
from screwgraph.spatial import largest_size, maximum
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import add_entry, dot, list_entries

USUAL = 1e6
"""Size of costs up to which multipliers of limits stay far below their penalties; larger costs are divided."""
HEAVY = 1e3
"""Weight of a task from which small weights grow with it: others of 1e-9 of it, and less, count no more than these."""
FAR = 10.0
"""Accelerations that are wanted are at most so many times those of limits, in their direction: more is rounding."""


@dataclass(frozen=True, eq=False)
class Miss:
    """The miss of a row of a task, affine in (u, E u): how far it is from its goal, and its weight.

    `unit` is how much may be missed for the sake of limits; see `TaskCost.add_square` for `alone`.
    """

    value: Affine
    weight: Number
    level: int
    unit: float
    alone: int | None


@dataclass(frozen=True, eq=False)
class TaskCost:
    """The cost z'H z / 2 + g'z of z = (u, E u): H by the rows of its lower triangle; it grows as squares are added."""

    __repr__ = one_line

    H: list[Row]
    g: list[Number]

    def add_square(self, missed: Affine, weight: Number, alone: int | None = None) -> None:
        """Add weight / 2 times the square of a number; that at `alone` is zero where one of the others is not."""
        row, constant = missed
        for i, x in row.items():
            scaled = weight * x
            self.g[i] = self.g[i] + scaled * constant
            for j, y in row.items():
                if j <= i and ((i == alone) == (j == alone)):
                    add_entry(self.H[i], j, scaled * y)

    def condense(self, E: Sequence[Row]) -> tuple[list[Row], list[Number]]:
        """Return the cost as one of u: H by the rows of its lower triangle, g."""
        k = len(E)
        n = len(self.g) - k
        common, both = list_rows(E, n), [{j: x for j, x in row.items() if j < n} for row in self.H[n:]]
        square = [[self.H[n + max(b, c)].get(n + min(b, c), 0.0) for c in range(k)] for b in range(k)]
        columns = [[row[j] for row in common] for j in range(n)]
        pulled = [[both[b].get(j, 0.0) + dot(square[b], columns[j]) for b in range(k)] for j in range(n)]
        H, g = [dict(row) for row in self.H[:n]], list(self.g[:n])
        for i in range(n):
            # E'Q E + E'R + R'E with Q of what is in common, R of both: E'(Q E + R) + R'E.
            own = [row.get(i, 0.0) for row in both]
            for j in range(i + 1):
                add_entry(H[i], j, dot(columns[i], pulled[j]) + dot(own, columns[j]))
            g[i] = g[i] + dot(columns[i], self.g[n:])
        return H, g


def find_shares(misses: Sequence[Miss]) -> tuple[Number, Number]:
    """Return what multiplies weights of tasks, and small weights, so that a cost has the size of usual ones, or less.

    Solutions stay the same. Limits are kept by penalties, which are numbers: those that can be kept are kept, whatever
    weights and gains tasks have.
    """
    size: Number = 0.0
    for miss in misses:
        size = size + miss.weight * (miss.value[1] * miss.value[1] + miss.unit * miss.unit)
    share = 1.0 / maximum(size * (1.0 / USUAL), 1.0)
    heaviest = largest_size([miss.weight for miss in misses])
    return share, share * maximum(heaviest * (1.0 / HEAVY), 1.0)


def shorten_goals(goals: Sequence[Number], usual: float) -> list[Number]:
    """Return accelerations that are wanted, `FAR` times usual ones at most, in their direction."""
    most = FAR * usual
    share = most / maximum(largest_size(goals), most)
    return [share * goal for goal in goals]


def sum_squares(misses: Sequence[Miss], rests: Sequence[Number], combined: int) -> tuple[TaskCost, list[Number]]:
    """Return the cost of what is missed and of small weights of u, of the size of usual ones; and these weights."""
    share, rest_share = find_shares(misses)
    rests, width = [rest_share * x for x in rests], len(rests) + combined
    cost = TaskCost([{i: x} for i, x in enumerate(rests)] + [{} for _ in range(combined)], [0.0] * width)
    for miss in misses:
        cost.add_square(miss.value, miss.weight * share, miss.alone)
    return cost, rests


def list_rows(rows: Sequence[Row], columns: int) -> list[list[Number]]:
    """Return sparse rows as dense ones."""
    return [list_entries([row], columns) for row in rows]
