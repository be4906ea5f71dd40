"""Any other pattern: L D L^T of a sparse matrix, by qdldl."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.linear.dense import SMALLEST
from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.linear.regularise import Regulariser
from screwgraph.optimize.singular_error import SingularError


@dataclass(frozen=True, eq=False)
class SparseMethod:
    """Approximate minimum degree order, L D L^T without pivoting."""

    pattern: Pattern
    places: Int[np.ndarray, " E"]
    diagonal: Int[np.ndarray, " n"]
    indices: Int[np.ndarray, " Z"]
    starts: Int[np.ndarray, " n_1"]

    def factor(
        self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"], regularise: Regulariser
    ) -> SparseFactored:
        """Factor the matrix of these values, regularised; a pivot that is tiny against its scale is zero."""
        from scipy import sparse

        diagonal, scales = regularise(values, diagonal, False)
        data = np.bincount(self.places, values, minlength=self.indices.size)
        data[self.diagonal] += diagonal
        n = self.pattern.count
        upper = sparse.csc_array((data, self.indices, self.starts), shape=(n, n))
        if not np.isfinite(data).all():
            raise self._singular(int(np.argmax(~np.isfinite((upper + upper.T).sum(axis=0)))))
        scales = np.where(scales > 0, scales, 1.0)
        solver, pivots, order = self._solver(upper, scales)
        bad = ~(np.abs(pivots) > SMALLEST * scales[order])
        if not self.pattern.multipliers:
            bad |= pivots <= 0
        if bad.any():
            raise self._singular(int(order[np.argmax(bad)]))
        return SparseFactored(solver, int((np.asarray(pivots) < 0).sum()))

    def _solver(self, upper: Any, scales: Float[np.ndarray, " n"]) -> tuple[Any, np.ndarray, np.ndarray]:
        """Return qdldl's solver, its pivots, and the unknowns that these belong to."""
        import qdldl
        from scipy import sparse

        try:
            solver = qdldl.Solver(upper, True)
        except (RuntimeError, ValueError):  # a pivot is zero, it does not tell which: slightly off, it shows
            off = sparse.diags_array(scales * SMALLEST / 10)
            try:
                solver = qdldl.Solver(sparse.csc_array(upper + off), True)
            except (RuntimeError, ValueError):
                raise self._singular(int(scales.argmin())) from None
        _, pivots, order = solver.factors()
        return solver, np.asarray(pivots), np.asarray(order)

    def _singular(self, unknown: int) -> SingularError:
        return SingularError(unknown, int(self.pattern.block_of[unknown]))


@dataclass(frozen=True, eq=False)
class SparseFactored:
    """qdldl's factors."""

    solver: Any
    negative: int

    def solve(self, b: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
        """Solve for several right sides."""
        return np.column_stack([self.solver.solve(np.ascontiguousarray(column)) for column in b.T])


def make_sparse_method(pattern: Pattern) -> SparseMethod:
    """Prepare the places of entries in the columns of the upper triangle."""
    n = pattern.count
    own = np.arange(n)
    rows = np.concatenate([pattern.cols, own])
    cols = np.concatenate([pattern.rows, own])
    kept, places = np.unique(cols * n + rows, return_inverse=True)
    cols_kept, indices = np.divmod(kept, n)
    starts = np.searchsorted(cols_kept, np.arange(n + 1))
    count = pattern.rows.size
    return SparseMethod(pattern, places[:count], places[count:], indices, starts)
