"""Impulses of rows that are active: where contacts stick or are open, laws are one linear system.

Active rows hold a velocity, the impulses of others are given. A step that follows another has mostly the same active
rows, so that one symmetric system solves it, in the place of sweeps:

    M y = J' x,    J y + R x = aim - b in active rows,

with the change of velocities y and the compliance R, loops closed: K y = 0. It is eliminated from the tips to the root,
so that limbs do not fill in one another: velocities of limbs, impulses of loops, the impulses that limbs alone can
answer, velocities of the root, and other impulses. The Delassus matrix of all rows is not made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.laws.closed_inertia import ClosedInertia
from screwgraph.motion.simulation.contacts.laws.laws import TINY, Numbers
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number, TreeFactor, factor_tree
from screwgraph.tape.sparse_rows import Row, add_entry, is_zero

SINGULAR = 1e-9
"""Least pivot, relative to its diagonal, of a row that moves bodies in a way that rows before it do not."""
ROUNDINGS = 64.0
"""How many roundings of a row's diagonal its least pivot is: of single precision, more than the above."""


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


def order_rows(J: Float[np.ndarray, "m n"], root: int, K: Float[np.ndarray, "loops n"] | None = None) -> RowOrder:
    """Return the order for a Jacobian at any state: a row is `own` where limbs move it with the root held.

    Rows K of loops come before it.
    """
    own, others, repeated = list[int](), list[int](), set[int]()
    loops = np.zeros((0, J.shape[1])) if K is None else K
    for i in range(len(J)):
        if _is_independent(np.concatenate([loops, J[[*own, i]]])[:, root:]):
            own.append(i)
        elif _is_independent(np.concatenate([loops, J[[*(j for j in own if j not in repeated), *others, i]]])):
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
    """The system of the root's inertia A (lower triangle), an inertia, rows Y, compliance R of each, and their order.

    A is what is left of the inertia for the `root` of the order after all else is eliminated. Y are rows of velocities
    with those of limbs and impulses of loops eliminated, `ClosedInertia.condense`. `yields` are about what velocities
    of rows yield to their own impulses, see `find_yields`.
    """

    __repr__ = one_line

    A: Sequence[Row]
    inertia: ClosedInertia
    Y: Sequence[Row]
    R: Numbers
    order: RowOrder
    yields: Numbers

    @cached_property
    def places(self) -> list[int]:
        """The place of each row among what is left: other rows, velocities of the root, own rows, the last one first.

        What is eliminated later stands before.
        """
        own, others, root = self.order.own, self.order.others, self.order.root
        at = {i: len(others) - 1 - a for a, i in enumerate(others)}
        at |= {i: len(others) + root + len(own) - 1 - a for a, i in enumerate(own)}
        return [at[i] for i in range(len(self.Y))]

    def factor(self, active: Numbers, rounding: Number = 0.0) -> TreeFactor:
        """Return factors of what is left: of [A, b'; b, -C] with rows b of the root, C = J M^-1 J' + R, root held.

        Rows that are not active change nothing, and neither do those along which bodies cannot move differently than
        along rows before them, for all that the `rounding` of 1 tells.
        """
        singular = SINGULAR + ROUNDINGS * rounding
        rows = {at: i for i, at in enumerate(self.places)}

        def invert(at: int, pivot: Number) -> Number:
            if at not in rows:
                return 1.0 / pivot
            least, yields = singular * self.yields[rows[at]], -pivot
            return -(choose(yields > least, active[rows[at]], 0.0) / maximum(yields, least + TINY))

        return factor_tree(self._reduce(), invert)

    def pattern(self) -> list[list[int]]:
        """Return the columns of each row of `factor`, for numbers of which none cancel."""
        return [list(row) for row in factor_tree(self._reduce(), lambda _, pivot: 1.0 / pivot).rows]

    def _reduce(self) -> list[Row]:
        """Return what is left, its lower triangle."""
        places, first, root = self.places, len(self.order.others), self.order.root
        left: list[Row] = [{} for _ in range(len(self.Y) + root)]
        for k, row in enumerate(self.A):
            left[first + k] = {first + j: x for j, x in row.items()}
        for i, (at, y) in enumerate(zip(places, self.Y, strict=True)):
            for k in (k for k in y if k < root):
                _add_lower(left, at, first + k, y[k])
            for j in range(i + 1):
                soft = self.R[i] if i == j else 0.0
                _add_lower(left, at, places[j], -(soft + self._couple(i, j)))
        return left

    def solve(self, factor: TreeFactor, known: Numbers, right: Numbers) -> tuple[list[Number], list[Number]]:
        """Return impulses x and the change y of velocities, J y + R x = right in active rows, those of the `factor`.

        Impulses of others are `known`, and so are those of rows along which bodies cannot move differently than along
        rows before them.
        """
        force: Row = {}
        for y, x in zip(self.Y, known, strict=True):
            if not is_zero(x):
                for k, entry in y.items():
                    add_entry(force, k, entry * x)
        return self._solve(factor, known, right, force)

    def close(self, factor: TreeFactor, rates: Numbers, right: Numbers) -> tuple[list[Number], list[Number]]:
        """Return impulses x and the change y of velocities beside K^+ r with which loops open at `rates` r.

        J y + R x = right in active rows, which is - J K^+ r.
        """
        return self._solve(factor, [0.0] * len(self.Y), right, self.inertia.push(rates))

    def _solve(
        self, factor: TreeFactor, known: Numbers, right: Numbers, force: Row
    ) -> tuple[list[Number], list[Number]]:
        """Return impulses x and the change of velocities; `force` is condensed."""
        root, first, inverse = self.order.root, len(self.order.others), self.inertia.factor.inverse
        scaled = {k: x * inverse[k] for k, x in force.items() if k >= root}
        left: list[Number] = [0.0] * len(factor.rows)
        for k in range(root):
            left[first + k] = force.get(k, 0.0)
        for i, (at, x, y) in enumerate(zip(self.places, known, self.Y, strict=True)):
            soft = 0.0 if is_zero(x) else self.R[i] * x
            left[at] = right[i] - (soft + sum((v * y[k] for k, v in scaled.items() if k in y), start=0.0))
        found = factor.solve(left)
        z = [-found[at] for at in self.places]
        v = found[first : first + root]
        for k in range(root, len(inverse)):
            push = force.get(k, 0.0) + sum((y[k] * x for y, x in zip(self.Y, z, strict=True) if k in y), start=0.0)
            row = self.inertia.factor.rows[k]
            v.append(inverse[k] * push - sum((entry * v[j] for j, entry in row.items()), start=0.0))
        return [a + b for a, b in zip(known, z, strict=True)], self.inertia.spread(v)

    def _couple(self, i: int, j: int) -> Number:
        """Return what velocities of row i yield to an impulse of row j with the root held."""
        root, inverse, other = self.order.root, self.inertia.factor.inverse, self.Y[j]
        terms = (y * inverse[k] * other[k] for k, y in self.Y[i].items() if k >= root and k in other)
        return sum(terms, start=0.0)


def _add_lower(rows: Sequence[Row], i: int, j: int, term: Number) -> None:
    if not is_zero(term):
        add_entry(rows[max(i, j)], min(i, j), term)


def find_yields(
    inertia: ClosedInertia, rows: Sequence[Row], Y: Sequence[Row], R: Numbers, order: RowOrder
) -> list[Number]:
    """Return about what velocities of `rows` yield to their own impulses, the diagonal of J M^-1 J' + R, loops open.

    Of `own` rows it is with the root held, which is less work and no more than a scale, but for rows of single
    velocities and for those that repeat others: what limbs add to these may be rounding alone.
    """
    found, factor, root = list[Number](), inertia.factor, order.root
    impulses = range(inertia.root, inertia.root + len(inertia.kept))
    for i, (row, y, soft) in enumerate(zip(rows, Y, R, strict=True)):
        every, is_whole = dict(y), len(row) == 1 or i not in order.own or i in order.repeated
        if is_whole:
            every |= factor.condense({k: x for k, x in y.items() if k < root})
        held = 0 if is_whole else root
        terms = (x * factor.inverse[k] * x for k, x in every.items() if k >= held and k not in impulses)
        found.append(soft + sum(terms, start=inertia.loosen(row)))
    return found
