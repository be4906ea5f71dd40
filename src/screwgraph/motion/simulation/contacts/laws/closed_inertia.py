"""The inertia of a robot whose loops and couplings stay closed: factors that impulses are solved by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.laws.independent_velocities import LoopBlock, find_independent_velocities
from screwgraph.tape import Number, Row, TreeFactor, factor_tree
from screwgraph.tape.sparse_rows import (
    is_zero,
    multiply_lower,
    multiply_rows,
    multiply_transposed,
    multiply_vector,
    transpose_rows,
)


@dataclass(frozen=True, eq=False)
class ClosedInertia:
    """Factors of [S'MS K'; K 0] with the mass matrix M of the tree and rows K of loops; a tree has no rows.

    Velocities are v = S y + K^+ r where loops open at rates r, see `independent_velocities.py`; rows of loops that are
    too large for that are `kept` among what is factored. The first `root` of y come first, then impulses of kept rows,
    then the others: elimination goes from the tips to the root, and loops of one limb fill in nothing of others.
    `pushed` is S'M K^+. What velocities yield to impulses is W = M^-1 - M^-1 K' (K M^-1 K')^-1 K M^-1: Gauss's
    principle of least constraint.
    """

    __repr__ = one_line

    factor: TreeFactor
    root: int
    S: Sequence[Row]
    inverse: Sequence[Row] = ()
    pushed: Sequence[Row] = ()
    kept: Sequence[int] = ()

    def condense(self, row: Row) -> Row:
        """Return a row of velocities, by all that is factored, after all but the root is eliminated."""
        return self.factor.condense(self._lift(row), self.root)

    def solve(self, impulse: Sequence[Number], rates: Sequence[Number] = ()) -> list[Number]:
        """Return the change v of velocities that an impulse makes while loops open at `rates`, K v, by default 0."""
        v = self.spread(self._solve(impulse, rates))
        return [x + y for x, y in zip(v, self.open(rates), strict=True)] if len(rates) else v

    def _solve(self, impulse: Sequence[Number], rates: Sequence[Number]) -> list[Number]:
        root, force = self.root, multiply_transposed(self.S, impulse, len(self.factor.rows) - len(self.kept))
        opening: list[Number] = [0.0] * len(self.kept)
        if len(rates):
            force = [f - x for f, x in zip(force, multiply_vector(self.pushed, rates), strict=True)]
            opening = [rates[i] for i in self.kept]
        return self.factor.solve([*force[:root], *opening, *force[root:]])

    def find_impulses(self, M: Sequence[Row], rates: Sequence[Number]) -> list[Number]:
        """Return the impulses l along rows of loops by which these alone open at rates: M v = K' l, K v = rates."""
        found = self._solve([0.0] * len(M), rates)
        v = [x + y for x, y in zip(self.spread(found), self.open(rates), strict=True)]
        impulses = multiply_transposed(self.inverse, multiply_vector(complete_rows(M), v), len(rates))
        for k, i in enumerate(self.kept):
            impulses[i] = -found[self.root + k]
        return impulses

    def spread(self, found: Sequence[Number]) -> list[Number]:
        """Return the velocities S y of all that is factored."""
        return multiply_vector(self.S, [*found[: self.root], *found[self.root + len(self.kept) :]])

    def open(self, rates: Sequence[Number]) -> list[Number]:
        """Return the velocities K^+ r with which loops that are not kept open at rates."""
        return multiply_vector(self.inverse, rates)

    def push(self, rates: Sequence[Number]) -> Row:
        """Return the impulses that let loops open at rates, after all but the root is eliminated."""
        force = {k: -x for k, x in enumerate(multiply_vector(self.pushed, rates)) if not is_zero(x)}
        lifted = _lift(force, self.root, len(self.kept)) | {self.root + k: rates[i] for k, i in enumerate(self.kept)}
        return self.factor.condense(lifted, self.root)

    def yielding(self, J: Sequence[Row]) -> list[Row]:
        """Return the lower triangle of J W J', the Delassus matrix, by rows."""
        Y = [self.factor.condense(self._lift(row)) for row in J]
        scaled = [{i: y * self.factor.inverse[i] for i, y in row.items()} for row in Y]
        n = len(self.factor.rows)
        return multiply_lower(transpose_rows(scaled, n), transpose_rows(Y, n), len(J))

    def loosen(self, row: Row) -> Number:
        """Return about what velocities of small loops, were these open, yield to an impulse along a row.

        A row that they lock yields nothing but rounding otherwise.
        """
        found: Number = 0.0
        for j, x in row.items():
            if len(self.inverse) and self.inverse[j]:
                inverse = (self.factor.inverse[k if k < self.root else k + len(self.kept)] for k in self.S[j])
                found = found + x * x * sum(inverse, start=0.0)
        return found

    def _lift(self, row: Row) -> Row:
        return _lift(multiply_rows([row], self.S)[0], self.root, len(self.kept))


def make_closed_inertia(
    M: Sequence[Row], K: Sequence[Row], root: int, softness: float = 0.0, blocks: Sequence[LoopBlock] = ()
) -> tuple[ClosedInertia, list[Row]]:
    """Return the factors for a mass matrix (lower triangle) and rows of loops, and what is left of M for the `root`.

    Limbs alone must be able to close all loops: K without its first `root` columns has full rank. Loops of `blocks`
    are solved for, rows of others kept. With a `softness` rows, which are all kept, yield to their impulses by that
    part of what velocities, each by itself, yield to them (Levenberg's method): K may lose rank.

    Raises:
        ZeroDivisionError: a velocity moves nothing that has inertia. Its argument is the place of it.
    """
    blocks = () if softness else blocks
    free = find_independent_velocities(K, len(M), blocks)
    pushed: list[Row] = [{} for _ in free.places]
    if blocks:
        moved = multiply_rows(complete_rows(M), free.S)
        pushed = multiply_rows(transpose_rows(moved, len(free.places)), free.inverse)
        M, K = multiply_lower(free.S, moved, len(free.places)), free.keep_rows(K)
    loops, columns = len(K), transpose_rows(K, len(M))
    lifted = [dict(row) for row in M[:root]]
    for k, row in enumerate(K):
        own = sum((x * x / M[j][j] for j, x in row.items()), start=0.0) if softness else 0.0
        lifted.append({j: x for j, x in row.items() if j < root} | ({root + k: -softness * own} if softness else {}))
    for row, column in zip(M[root:], columns[root:], strict=True):
        lifted.append(_lift(row, root, loops) | {root + k: x for k, x in column.items()})
    try:
        factor = factor_tree(lifted)
    except ZeroDivisionError as error:
        place = error.args[0]
        raise ZeroDivisionError(free.places[place if place < root else max(place - loops, root)]) from error
    inertia = ClosedInertia(factor, root, free.S, free.inverse, pushed, free.kept)
    return inertia, factor.condense_matrix(lifted, root)


def complete_rows(M: Sequence[Row]) -> list[Row]:
    """Return all entries of a symmetric matrix whose lower triangle is given."""
    whole = [dict(row) for row in M]
    for i, row in enumerate(M):
        for j, x in row.items():
            whole[j][i] = x
    return whole


def deviate(velocity: Sequence[Number], rates: Sequence[Number]) -> list[Number]:
    """Return velocities, the last ones less what they should be."""
    aims = [*[0.0] * (len(velocity) - len(rates)), *rates]
    return [v - aim for v, aim in zip(velocity, aims, strict=True)] if len(rates) else list(velocity)


def _lift(row: Row, root: int, loops: int) -> Row:
    return {j if j < root else j + loops: x for j, x in row.items()}
