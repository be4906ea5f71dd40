"""Factors of small sparse matrices of scalars, without any loop in the code that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from screwgraph.tape import Number, Row, reciprocal
from screwgraph.tape.block_triangular import Blocks, find_blocks
from screwgraph.tape.sparse_rows import add_entry, dot_row, multiply_lower, multiply_transposed, multiply_vector


@dataclass(frozen=True, eq=False)
class SymbolicFactors:
    """L, strictly lower with ones that are not stored, and the reciprocals of D, in the order of the rows."""

    lower: Sequence[Row]
    inverse: Sequence[Number]

    def solve(self, right: Sequence[Number]) -> list[Number]:
        """Return the solution for one right-hand side."""
        x = list(right)
        for i, row in enumerate(self.lower):
            for k, entry in row.items():
                x[i] = x[i] - entry * x[k]
        x = [value * inverse for value, inverse in zip(x, self.inverse, strict=True)]
        for i in reversed(range(len(x))):
            for k, entry in self.lower[i].items():
                x[k] = x[k] - entry * x[i]
        return x


def factor_symbolically(lower: Sequence[Row]) -> SymbolicFactors:
    """Eliminate the rows of a symmetric matrix, given by its lower triangle, in their order, without pivoting."""
    rest = [dict(row) for row in lower]
    found: list[Row] = [{} for _ in rest]
    inverse: list[Number] = []
    for k, row in enumerate(rest):
        inverse.append(reciprocal(row.get(k, 0.0)))
        below = [i for i in range(k + 1, len(rest)) if k in rest[i]]
        for i in below:
            found[i][k] = rest[i][k] * inverse[k]
            for j in below:
                if j <= i:
                    add_entry(rest[i], j, -(found[i][k] * rest[j][k]))
    return SymbolicFactors(found, inverse)


@dataclass(frozen=True, eq=False)
class TriangularBlocks:
    """Blocks of a square matrix A, each of which is solved by itself, after those that it needs.

    Blocks of one and two rows are inverted: what they are divided by vanishes only where A is singular. Larger ones are
    solved by B'B of each block B.
    """

    rows: Sequence[Row]
    blocks: Blocks

    @classmethod
    def of_rows(cls, rows: Sequence[Row]) -> TriangularBlocks | None:
        """Return those of a matrix by its rows; None where it is singular whatever its entries."""
        pattern = np.zeros((len(rows), len(rows)), dtype=bool)
        for i, row in enumerate(rows):
            pattern[i, list(row)] = True
        blocks = find_blocks(pattern)
        return cls(rows, blocks) if blocks else None

    def solve(self, right: Sequence[Number]) -> list[Number]:
        """Return x with A x = right."""
        x: list[Number] = [0.0] * len(right)
        for k, (rows, columns) in enumerate(self.blocks):
            rest = [right[i] - dot_row({j: e for j, e in self.rows[i].items() if j not in columns}, x) for i in rows]
            for j, value in zip(columns, multiply_vector(self._inverses[k], rest), strict=True):
                x[j] = value
        return x

    def solve_transposed(self, right: Mapping[int, Number]) -> Row:
        """Return y with A'y = right; entries that are zero whatever the others are left out."""
        y, left = dict[int, Number](), dict(right)
        for k in reversed(range(len(self.blocks))):
            rows, columns = self.blocks[k]
            if not any(j in left for j in columns):
                continue
            given = [left.get(j, 0.0) for j in columns]
            for i, value in zip(rows, multiply_transposed(self._inverses[k], given, len(rows)), strict=True):
                y[i] = value
                for j, entry in self.rows[i].items():
                    add_entry(left, j, -(entry * value))
        return y

    @cached_property
    def _inverses(self) -> list[list[Row]]:
        """The inverse of each block, by columns of A and rows."""
        found = []
        for rows, columns in self.blocks:
            own = [{columns.index(j): e for j, e in self.rows[i].items() if j in columns} for i in rows]
            found.append(_invert(own))
        return found


def _invert(rows: Sequence[Row]) -> list[Row]:
    """Return the inverse of a small matrix."""
    n = len(rows)
    if n == 1:
        return [{0: reciprocal(rows[0][0])}]
    if n == 2:
        (a, b), (c, d) = ((row.get(0, 0.0), row.get(1, 0.0)) for row in rows)
        over = reciprocal(a * d - b * c)
        return [{0: d * over, 1: -(b * over)}, {0: -(c * over), 1: a * over}]
    factors = factor_symbolically(multiply_lower(rows, rows, n))
    columns = [factors.solve([row.get(j, 0.0) for j in range(n)]) for row in rows]
    return [{i: column[j] for i, column in enumerate(columns)} for j in range(n)]
