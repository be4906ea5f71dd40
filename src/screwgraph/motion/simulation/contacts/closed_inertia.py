"""The inertia of a robot whose loops and couplings stay closed: factors that impulses are solved by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.tape import Number, Row, TreeFactor, factor_tree
from screwgraph.tape.sparse_rows import (
    add_entry,
    multiply_lower,
    multiply_rows,
    multiply_transposed,
    multiply_vector,
    transpose_rows,
)

PASSAGES = 2
"""Of velocities that loops allow, with factors of where these were."""


@dataclass(frozen=True, eq=False)
class ClosedInertia:
    """Factors of the mass matrix M of the tree, rows K of loops, factors of K M^-1 K'; of a tree K has no rows.

    What velocities yield to impulses is W = M^-1 - M^-1 K' (K M^-1 K')^-1 K M^-1: Gauss's principle of least
    constraint. Both matrices that are factored are positive definite, whichever coordinates are independent.
    """

    __repr__ = one_line

    factor: TreeFactor
    K: Sequence[Row]
    closing: TreeFactor

    def solve(self, impulse: Sequence[Number]) -> list[Number]:
        """Return the change of velocities W f that an impulse f makes."""
        return self.close(self.factor.solve(impulse))

    def close(self, velocity: Sequence[Number], rates: Sequence[Number] = ()) -> list[Number]:
        """Return the velocity v that loops allow, K v = 0, nearest to another as kinetic energy measures it.

        The last rows of K have the given `rates`: those of coordinates that are driven.
        """
        if not self.K:
            return list(velocity)
        opening = _deviate(multiply_vector(self.K, velocity), rates)
        impulse = multiply_transposed(self.K, self.closing.solve(opening), len(velocity))
        return [v - c for v, c in zip(velocity, self.factor.solve(impulse), strict=True)]

    def close_near(self, K: Sequence[Row], velocity: Sequence[Number], rates: Sequence[Number] = ()) -> list[Number]:
        """Return the velocity v that loops allow which have moved a little since: K v = 0, to the square of that.

        The last rows of K have the given `rates`.

        The difference is one that impulses of loops make: a part along what loops allow would be a force of its own.
        """
        found = list(velocity)
        for _ in range(PASSAGES):
            opening = _deviate(multiply_vector(K, found), rates)
            impulse = multiply_transposed(self.K, self.closing.solve(opening), len(found))
            found = [v - c for v, c in zip(found, self.factor.solve(impulse), strict=True)]
        return found

    def yielding(self, J: Sequence[Row]) -> list[Row]:
        """Return the lower triangle of J W J', the Delassus matrix, by rows."""
        n = len(self.factor.rows)
        Y, scaled = _condense(self.factor, J)
        G = _lower(scaled, Y, n)
        if not self.K:
            return G
        Z = multiply_rows(scaled, transpose_rows(_condense(self.factor, self.K)[0], n))
        closed, weighed = _condense(self.closing, Z)
        for row, less in zip(G, _lower(weighed, closed, len(self.K)), strict=True):
            for j, x in less.items():
                add_entry(row, j, -x)
        return G


def make_closed_inertia(factor: TreeFactor, K: Sequence[Row]) -> ClosedInertia:
    """Return the factors for the rows of loops."""
    Y, scaled = _condense(factor, K)
    return ClosedInertia(factor, K, factor_tree(_lower(scaled, Y, len(factor.rows))))


def _deviate(velocity: Sequence[Number], rates: Sequence[Number]) -> list[Number]:
    """Return velocities, the last ones less what they should be."""
    aims = [*[0.0] * (len(velocity) - len(rates)), *rates]
    return [v - aim for v, aim in zip(velocity, aims, strict=True)] if len(rates) else list(velocity)


def _condense(factor: TreeFactor, rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the y with L' y = b for each row, and D^-1 y."""
    Y = [factor.condense(row) for row in rows]
    return Y, [{i: y * factor.inverse[i] for i, y in row.items()} for row in Y]


def _lower(a: Sequence[Row], b: Sequence[Row], columns: int) -> list[Row]:
    """Return the lower triangle of a b', which is symmetric; a and b have so many columns."""
    return multiply_lower(transpose_rows(a, columns), transpose_rows(b, columns), len(a))
