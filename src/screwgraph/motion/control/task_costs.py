"""Costs of tasks: weighted squares of numbers that are affine in u, and in what many of them have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.motion.control.affine import Affine
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import add_entry, dot, list_entries


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


def list_rows(rows: Sequence[Row], columns: int) -> list[list[Number]]:
    """Return sparse rows as dense ones."""
    return [list_entries([row], columns) for row in rows]
