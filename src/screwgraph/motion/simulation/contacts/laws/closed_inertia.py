"""The inertia of a robot whose loops and couplings stay closed: factors that impulses are solved by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.tape import Number, Row, TreeFactor, factor_tree
from screwgraph.tape.sparse_rows import multiply_lower, transpose_rows


@dataclass(frozen=True, eq=False)
class ClosedInertia:
    """Factors of [M K'; K 0] with the mass matrix M of the tree and rows K of loops; a tree has no rows.

    The first `root` velocities come first, then the impulses of `loops` rows, then the other velocities: elimination
    goes from the tips to the root, and loops of one limb fill in nothing of others. What velocities yield to impulses
    is W = M^-1 - M^-1 K' (K M^-1 K')^-1 K M^-1: Gauss's principle of least constraint.
    """

    __repr__ = one_line

    factor: TreeFactor
    root: int
    loops: int

    def condense(self, row: Row) -> Row:
        """Return a row of velocities, by all that is factored, after all but the root is eliminated."""
        return self.factor.condense(_lift(row, self.root, self.loops), self.root)

    def solve(self, impulse: Sequence[Number], rates: Sequence[Number] = ()) -> list[Number]:
        """Return the change v of velocities that an impulse makes while loops open at `rates`, K v, by default 0."""
        root, loops = self.root, self.loops
        right = [*impulse[:root], *(rates or [0.0] * loops), *impulse[root:]]
        return self.select(self.factor.solve(right))

    def select(self, found: Sequence[Number]) -> list[Number]:
        """Return the velocities of all that is factored."""
        return [*found[: self.root], *found[self.root + self.loops :]]

    def yielding(self, J: Sequence[Row]) -> list[Row]:
        """Return the lower triangle of J W J', the Delassus matrix, by rows."""
        Y = [self.factor.condense(_lift(row, self.root, self.loops)) for row in J]
        scaled = [{i: y * self.factor.inverse[i] for i, y in row.items()} for row in Y]
        n = len(self.factor.rows)
        return multiply_lower(transpose_rows(scaled, n), transpose_rows(Y, n), len(J))


def make_closed_inertia(
    M: Sequence[Row], K: Sequence[Row], root: int, softness: float = 0.0
) -> tuple[ClosedInertia, list[Row]]:
    """Return the factors for a mass matrix (lower triangle) and rows of loops, and what is left of M for the `root`.

    Limbs alone must be able to close all loops: K without its first `root` columns has full rank. With a `softness`
    rows yield to their impulses by that part of what velocities, each by itself, yield to them (Levenberg's method): K
    may lose rank.

    Raises:
        ZeroDivisionError: a velocity moves nothing that has inertia. Its argument is the place of it.
    """
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
        raise ZeroDivisionError(place if place < root else max(place - loops, root)) from error
    return ClosedInertia(factor, root, loops), factor.condense_matrix(lifted, root)


def deviate(velocity: Sequence[Number], rates: Sequence[Number]) -> list[Number]:
    """Return velocities, the last ones less what they should be."""
    aims = [*[0.0] * (len(velocity) - len(rates)), *rates]
    return [v - aim for v, aim in zip(velocity, aims, strict=True)] if len(rates) else list(velocity)


def _lift(row: Row, root: int, loops: int) -> Row:
    return {j if j < root else j + loops: x for j, x in row.items()}
