"""Factors of mass matrices of trees: M = L' D L, from the tips to the base, so that nothing fills in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.tape.scalar import Number, is_zero
from screwgraph.tape.sparse_rows import Row, add_entry


@dataclass(frozen=True)
class TreeFactor:
    """M = L' D L: the rows of L below its unit diagonal, and the inverses of D. Featherstone (2008), section 6.5."""

    rows: Sequence[Row]
    inverse: Sequence[Number]

    def condense(self, right: Mapping[int, Number], root: int = 0) -> Row:
        """Return the y with L' y = b of a sparse b, which is as sparse: only what carries it.

        The rows of L before `root` are taken as those of a unit matrix: y is as if these coordinates were not
        eliminated.
        """
        y = dict(right)
        for i in reversed(range(root, len(self.rows))):
            if i in y:
                for j, entry in self.rows[i].items():
                    add_entry(y, j, -(entry * y[i]))
        return y

    def solve(self, right: Sequence[Number]) -> list[Number]:
        """Return the x with M x = b."""
        y, x = self.condense({i: b for i, b in enumerate(right) if not is_zero(b)}), list[Number]()
        for i, row in enumerate(self.rows):
            value = y[i] * self.inverse[i] if i in y else 0.0
            for j, entry in row.items():
                value = value - entry * x[j]
            x.append(value)
        return x

    def condense_matrix(self, M: Sequence[Row], root: int) -> list[Row]:
        """Return the Schur complement of M on the first coordinates, all others eliminated: its lower triangle.

        Sums are in the order of `factor_tree`, so that a tape has them already.
        """
        left = [dict(row) for row in M]
        for i in reversed(range(root, len(left))):
            left[i].pop(i)
            for a in self.rows[i]:
                for b, entry in left[i].items():
                    if b <= a:
                        add_entry(left[a], b, -(self.rows[i][a] * entry))
        return left[:root]


def factor_tree(M: Sequence[Row], invert: Callable[[int, Number], Number] | None = None) -> TreeFactor:
    """Return the factors of a symmetric matrix without zero pivots, whose lower triangle is given by rows.

    Where coordinates come before those that they carry, as in trees, L has an entry only where M has one. `invert`
    returns the inverse of pivot i, by default 1 / pivot; where that is zero, row i changes no other.

    Raises:
        ZeroDivisionError: a pivot is the constant zero: M is singular. Its argument is the row.
    """
    left, inverse = [dict(row) for row in M], [0.0] * len(M)
    rows: list[Row] = [{} for _ in M]
    for i in reversed(range(len(left))):
        if i not in left[i] and invert is None:
            raise ZeroDivisionError(i)
        pivot = left[i].pop(i, 0.0)
        inverse[i] = 1.0 / pivot if invert is None else invert(i, pivot)
        rows[i] = {j: entry * inverse[i] for j, entry in left[i].items()}
        for a in rows[i]:
            for b, entry in left[i].items():
                if b <= a:
                    add_entry(left[a], b, -(rows[i][a] * entry))
    return TreeFactor(rows, inverse)
