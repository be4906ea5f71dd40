"""Impulses of rows that are active: where contacts stick or are open, laws are one linear system.

Active rows hold a velocity, the impulses of others are given. A step that follows another has mostly the same active
rows, so that one symmetric system solves it, in the place of sweeps:

    M y = J' x,    J y + R x = aim - b in active rows,

with the change of velocities y and the compliance R. It is eliminated from the tips to the root, so that limbs do not
fill in one another: velocities of limbs, the impulses that limbs alone can answer, velocities of the root, and other
impulses. The Delassus matrix of all rows is not made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.laws import TINY, Numbers
from screwgraph.optimize.dense_factors import factor_diagonal, solve_unit_lower, solve_unit_upper
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number, TreeFactor
from screwgraph.tape.sparse_rows import Row, dot_row, is_zero, multiply_transposed

Inverse = Callable[[int, Number, Number], Number]

SINGULAR = 1e-9
"""Least pivot, relative to its diagonal, of a row that moves bodies in a way that rows before it do not."""


@dataclass(frozen=True)
class RowOrder:
    """The order in which rows are eliminated: `own` before the first `root` velocities, `others` after them.

    `repeated` are rows that hold a velocity which others hold already, as of feet with many points.
    """

    __repr__ = one_line

    root: int
    own: tuple[int, ...]
    others: tuple[int, ...]
    repeated: frozenset[int]


def order_rows(J: Float[np.ndarray, "m n"], root: int) -> RowOrder:
    """Return the order for a Jacobian at any state: a row is `own` where limbs move it with the root held."""
    own, others, repeated = list[int](), list[int](), set[int]()
    for i in range(len(J)):
        if _is_independent(J[[*own, i], root:]):
            own.append(i)
        elif _is_independent(J[[*(j for j in own if j not in repeated), *others, i]]):
            others.append(i)
        else:
            own.append(i)
            repeated.add(i)
    return RowOrder(root, tuple(own), tuple(others), frozenset(repeated))


def _is_independent(rows: Float[np.ndarray, "m n"]) -> bool:
    """Whether the last row is independent of the others."""
    if not rows[-1].any():
        return False
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(sizes > 0.0, sizes, 1.0)
    left = rows[-1] - rows[-1] @ np.linalg.pinv(rows[:-1], rcond=SINGULAR) @ rows[:-1] if len(rows) > 1 else rows[-1]
    return bool(np.linalg.norm(left) > 1e-6)


@dataclass(frozen=True, eq=False)
class StickingSystem:
    """The system of the root's inertia A (lower triangle), factors of M, rows J, compliance R of each, and their order.

    A is what is left of M after all other velocities are eliminated.
    """

    __repr__ = one_line

    A: Sequence[Row]
    factor: TreeFactor
    J: Sequence[Row]
    R: Numbers
    order: RowOrder

    def yields(self) -> list[Number]:
        """Return about what velocities of rows yield to their own impulses, the diagonal of J M^-1 J' + R.

        Of `own` rows of several velocities it is with the root held, which is less work and no more than a scale.
        """
        found = list[Number]()
        for i, (row, soft) in enumerate(zip(self.J, self.R, strict=True)):
            root = self.order.root if i in self.order.own and len(row) > 1 else 0
            y = self.factor.condense(row, root)
            found.append(soft + _sum(x * self.factor.inverse[k] * x for k, x in y.items() if k >= root))
        return found

    def solve(self, active: Numbers, known: Numbers, right: Numbers) -> tuple[list[Number], list[Number]]:
        """Return impulses x and the change y of velocities, J y + R x = right in active rows.

        Impulses of others are `known`, and so are those of rows along which bodies cannot move differently than along
        rows before them.
        """
        J, root, order = self.J, self.order.root, self.order
        force = self.factor.condense(_sparse(multiply_transposed(J, known, len(self.factor.rows))), root)
        rows = self._condense_rows()
        right = [r - (s * x + _dot(row, force)) for r, s, x, row in zip(right, self.R, known, rows.scaled, strict=True)]
        own = self._eliminate_own(rows, active, right)
        inertia = factor_diagonal(self._reduce_inertia(own))
        v = _solve(*inertia, [force.get(k, 0.0) + _column(own.c, own.weighed, k) for k in range(root)])
        c, z = own.c, dict.fromkeys(range(len(J)), 0.0)
        if order.others:
            found, change, c = self._solve_others(rows, own, inertia, v, active, right)
            z |= dict(zip(order.others, found, strict=True))
            v = [a + b for a, b in zip(v, change, strict=True)]
        reduced = [d * (a - dot_row(row, v)) for a, row, d in zip(c, own.Z, own.D, strict=True)]
        z |= dict(zip(order.own, solve_unit_upper(own.L, reduced), strict=True))
        return [a + b for a, b in zip(known, z.values(), strict=True)], self._move(v, force, rows, z)

    def _condense_rows(self) -> _Condensed:
        """Eliminate the velocities of limbs from all rows."""
        root = self.order.root
        Y = [self.factor.condense(row, root) for row in self.J]
        scaled = [{k: y * self.factor.inverse[k] for k, y in row.items() if k >= root} for row in Y]
        return _Condensed(Y, scaled, [{k: y for k, y in row.items() if k < root} for row in Y])

    def _eliminate_own(self, rows: _Condensed, active: Numbers, right: Numbers) -> _Eliminated:
        """Eliminate impulses of rows that limbs alone can answer."""
        own = self.order.own
        B = [[self._couple(rows, i, j) for j in own[: a + 1]] for a, i in enumerate(own)]
        L, D = factor_diagonal(B, _invert_active(active, own))
        c = solve_unit_lower(L, [right[i] for i in own])
        Z = _solve_rows(L, [rows.base[i] for i in own])
        return _Eliminated(L, D, c, Z, [{k: d * x for k, x in row.items()} for d, row in zip(D, Z, strict=True)])

    def _couple(self, rows: _Condensed, i: int, j: int) -> Number:
        """Return what velocities of row i yield to an impulse of row j with the root held."""
        return _dot(rows.scaled[i], rows.Y[j]) + (self.R[i] if i == j else 0.0)

    def _reduce_inertia(self, own: _Eliminated) -> list[list[Number]]:
        """Return the root's inertia with rows of limbs held (lower triangle)."""
        pairs = list(zip(own.Z, own.weighed, strict=True))
        return [
            [self.A[i].get(j, 0.0) + _sum(a[i] * b[j] for a, b in pairs if i in a and j in a) for j in range(i + 1)]
            for i in range(self.order.root)
        ]

    def _solve_others(
        self,
        rows: _Condensed,
        own: _Eliminated,
        inertia: tuple[Sequence[Numbers], Numbers],
        v: Numbers,
        active: Numbers,
        right: Numbers,
    ) -> tuple[list[Number], list[Number], list[Number]]:
        """Return impulses of the other rows, by how much they change the root's velocities v, and c of own rows."""
        root, others, (LA, DA) = self.order.root, self.order.others, inertia
        E = [solve_unit_lower(own.L, [_dot(rows.scaled[i], rows.Y[j]) for j in self.order.own]) for i in others]
        less = [[e * d for e, d in zip(row, own.D, strict=True)] for row in E]
        rest = [
            {k: x for k in range(root) if not is_zero(x := rows.base[i].get(k, 0.0) - _column(row, own.Z, k))}
            for i, row in zip(others, less, strict=True)
        ]
        X = [solve_unit_lower(LA, [row.get(k, 0.0) for k in range(root)]) for row in rest]
        C = [
            [
                self._couple(rows, i, j)
                - _sum(x * y for x, y in zip(less[a], E[b], strict=True))
                + _sum(x * d * y for x, d, y in zip(X[a], DA, X[b], strict=True))
                for b, j in enumerate(others[: a + 1])
            ]
            for a, i in enumerate(others)
        ]
        aims = [
            right[i] - _sum(x * y for x, y in zip(row, own.c, strict=True)) - dot_row(own_rest, v)
            for i, row, own_rest in zip(others, less, rest, strict=True)
        ]
        found = _solve(*factor_diagonal(C, _invert_active(active, others)), aims)
        change = _solve(LA, DA, multiply_transposed(rest, found, root))
        c = [a - _sum(row[k] * x for row, x in zip(E, found, strict=True)) for k, a in enumerate(own.c)]
        return found, change, c

    def _move(self, v: Numbers, force: Row, rows: _Condensed, z: Mapping[int, Number]) -> list[Number]:
        """Return the change of all velocities: those of the root, and of limbs from the root to the tips."""
        y, factor = list(v), self.factor
        for k in range(self.order.root, len(factor.rows)):
            push = force.get(k, 0.0) + _sum(row[k] * z[i] for i, row in enumerate(rows.Y) if k in row)
            y.append(factor.inverse[k] * push - _sum(entry * y[j] for j, entry in factor.rows[k].items()))
        return y


class _Condensed(NamedTuple):
    """Rows with velocities of limbs eliminated: L^-1 J' of each, its limbs' part over pivots, its root's part."""

    Y: list[Row]
    scaled: list[Row]
    base: list[Row]


class _Eliminated(NamedTuple):
    """Own rows: factors L D^-1 L' of their system, right sides L^-1 c, columns L^-1 of the root, those times D."""

    L: Sequence[Numbers]
    D: Numbers
    c: list[Number]
    Z: list[Row]
    weighed: list[Row]


def _invert_active(active: Numbers, rows: Sequence[int]) -> Inverse:
    """Return how pivots of rows are inverted: as 0 where a row is not active, or moves bodies in no new way."""

    def invert_pivot(i: int, pivot: Number, diagonal: Number) -> Number:
        least = SINGULAR * diagonal
        return choose(pivot > least, active[rows[i]], 0.0) / maximum(pivot, least + TINY)

    return invert_pivot


def _sparse(vector: Sequence[Number]) -> Row:
    return {i: x for i, x in enumerate(vector) if not is_zero(x)}


def _sum(terms: Iterable[Number]) -> Number:
    return sum(terms, start=0.0)


def _dot(a: Row, b: Row) -> Number:
    return _sum(x * b[k] for k, x in a.items() if k in b)


def _column(row: Numbers, Z: Sequence[Row], k: int) -> Number:
    return _sum(x * z[k] for x, z in zip(row, Z, strict=True) if k in z)


def _solve_rows(L: Sequence[Numbers], right: Sequence[Row]) -> list[Row]:
    """Return the rows of L^-1 B of a unit L and sparse rows."""
    found = list[Row]()
    for row, b in zip(L, right, strict=True):
        columns = {*b, *(k for x, z in zip(row, found, strict=False) if not is_zero(x) for k in z)}
        total = {k: b.get(k, 0.0) - _column(row, found[: len(row)], k) for k in sorted(columns)}
        found.append({k: x for k, x in total.items() if not is_zero(x)})
    return found


def _solve(L: Sequence[Numbers], D: Numbers, right: Numbers) -> list[Number]:
    """Return the y with L D^-1 L' y = b."""
    return solve_unit_upper(L, [d * x for d, x in zip(D, solve_unit_lower(L, right), strict=True)])
