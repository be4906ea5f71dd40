"""Linear systems whose matrix has the sparsity of a tree: only coordinates of which one carries the other meet.

M = L' D L, coordinates far from the base eliminated first, makes no fill-in. Featherstone (2008), section 6.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from screwgraph.compiler.derivatives.analytic.tree_derivatives import Entries
from screwgraph.tape import Number, reciprocal

Column = Mapping[int, Number]
"""A sparse vector: what is not there is zero."""


@dataclass(frozen=True, eq=False)
class TreeFactors:
    """L below its unit diagonal, reciprocals of D, and the coordinates that carry each one, the base's first."""

    lower: Entries
    pivots: Sequence[Number]
    carriers: Sequence[Sequence[int]]
    _bridges: dict[tuple[int, int], Sequence[Number]] = field(default_factory=dict)

    def solve(self, right: Column, last: int | None = None) -> Column:
        """Return x of M x = right, of its coordinates up to `last` (default: all)."""
        y = dict(right)
        for k in sorted(range(len(self.pivots)), reverse=True):
            if k in y:
                for i in self.carriers[k]:
                    y[i] = y.get(i, 0.0) - self.lower[k, i] * y[k]
        x: dict[int, Number] = {}
        for k in range(len(self.pivots) if last is None else last + 1):
            path = self.carriers[k]
            if k in y:
                value = y[k] * self.pivots[k]
                for i in path:
                    value = value - self.lower[k, i] * x[i]
                x[k] = value
            elif any(i in y for i in path):
                reached = sum(i in y for i in path)
                x[k] = _sum_of_products(self._bridge(k, reached), [x[i] for i in path[:reached]])
        return x

    def inverse(self) -> Entries:
        """Return the inverse of M, which is symmetric."""
        found: dict[tuple[int, int], Number] = {}
        for j in range(len(self.pivots)):
            for i, value in self.solve({j: 1.0}, last=j).items():
                found[i, j] = found[j, i] = value
        return found

    def _bridge(self, k: int, reached: int) -> Sequence[Number]:
        """Return how coordinate k follows its first `reached` carriers where nothing acts beyond these."""
        if (k, reached) not in self._bridges:
            path = self.carriers[k]
            beyond = path[reached:]
            rows = [self._bridge(i, reached) for i in beyond]
            self._bridges[k, reached] = [
                -self.lower[k, i] - _sum_of_products([self.lower[k, b] for b in beyond], [row[n] for row in rows])
                for n, i in enumerate(path[:reached])
            ]
        return self._bridges[k, reached]


def factor_tree_matrix(M: Entries, carriers: Sequence[Sequence[int]]) -> TreeFactors:
    """Factorise M, positive definite; `carriers` are the coordinates that carry each, the base's first."""
    left = {(k, i): M.get((k, i), 0.0) for k, path in enumerate(carriers) for i in (*path, k)}
    lower: dict[tuple[int, int], Number] = {}
    pivots: list[Number] = [0.0] * len(carriers)
    for k in reversed(range(len(carriers))):
        pivots[k] = reciprocal(left[k, k])
        for i in carriers[k]:
            lower[k, i] = left[k, i] * pivots[k]
        for place, i in enumerate(carriers[k]):
            for j in carriers[k][: place + 1]:
                left[i, j] = left[i, j] - left[k, i] * lower[k, j]
    return TreeFactors(lower, pivots, carriers)


def _sum_of_products(a: Sequence[Number], b: Sequence[Number]) -> Number:
    total: Number = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
