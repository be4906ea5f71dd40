"""L D L' of small sparse symmetric matrices of scalars, without any loop in the code that it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.tape import Number, Row, reciprocal
from screwgraph.tape.sparse_rows import add_entry


@dataclass(frozen=True, eq=False)
class SymbolicFactors:
    """L, strictly lower, and the reciprocals of D, in the order of the rows."""

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
