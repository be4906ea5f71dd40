"""Iterative refinement: what regularisation and rounding took from an answer is given back.

Answers where refinement is too slow: the best one of those that a few more solutions span.

Hard rows that nearly repeat others are hidden by regularisation, each in a direction of its own. There are few of them,
and GMRES, with the regularised factors before it, meets one in each step. Saad & Schultz (1986).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.kernels import address_of

MOST = 12

ENOUGH = 1e-11
"""Residual of each row, relative to its right side and its products, at which refinement ends. Oettli & Prager (1964).

Row by row: multipliers of nearly active inequalities put entries of 1e10 beside the slopes of equalities.
"""

GOOD = 1e-9
"""Residual at which an answer is taken; beyond it the exact matrix is factored with pivoting."""

NEGLIGIBLE = 1e-4
"""Products with unknowns smaller than this part of the largest ones count as if these were so large: rows in which all
vanish would ask for digits that do not matter."""

LITTLE, MUCH = 1e-2, 0.2
"""Parts of a right side: so little steps of iterations may leave, since the next one takes it away; with so much left,
rows that nearly repeat others would take many."""

KRYLOV_VECTORS = 40

SMALL = 1e-4
"""Part of the residual that is small enough to be left."""


@dataclass(frozen=True, eq=False)
class ExactMatrix:
    """The matrix itself, as values at the places of a system."""

    system: Any
    values: Float[np.ndarray, " E"]
    diagonal: Float[np.ndarray, " n"]

    @cached_property
    def addresses(self) -> tuple[int, int]:
        """Addresses of the values and of the diagonal."""
        return address_of(self.values), address_of(self.diagonal)

    def times(self, x: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Return the matrix times a vector."""
        return self.system.entries.multiply(self.values, self.diagonal, np.ascontiguousarray(x))

    def relative_residual(self, b: Float[np.ndarray, " n"], x: Float[np.ndarray, " n"]) -> float:
        """Return how large b - K x is beside b: in the rows of multipliers or in the others, where that is more."""
        return self.system.entries.measure_residual(self.values, self.diagonal, np.ascontiguousarray(x), b)

    @cached_property
    def magnitudes(self) -> ExactMatrix:
        """The matrix of the entries' sizes; of entries that are summed, the sizes are."""
        return ExactMatrix(self.system, np.abs(self.values), np.abs(self.diagonal))

    def factor_with_pivoting(self) -> Any | None:
        """Return factors of the matrix by L U with pivoting; None where it is singular, or not finite."""
        from scipy import sparse
        from scipy.sparse import linalg

        n = self.diagonal.size
        lower = sparse.coo_matrix(
            (self.values, (self.system.pattern.rows, self.system.pattern.cols)), shape=(n, n)
        ).tocsc()
        full = (lower + sparse.tril(lower, -1).T + sparse.diags(self.diagonal)).tocsc()
        if not np.isfinite(full.data).all():
            return None
        try:
            return linalg.splu(full)
        except RuntimeError:  # exactly singular
            return None


def refine_solution(
    exact: ExactMatrix,
    solve: Callable[[Any], Any],
    b: Float[np.ndarray, "n k"],
    x: Float[np.ndarray, "n k"],
    enough: float = ENOUGH,
) -> Float[np.ndarray, "n k"]:
    """Improve x until the residual b - K x is small; where it does not become so, factor anew with pivoting."""
    answer, pivoted = x.copy(), None
    for k in range(b.shape[1]):
        now, error = _refine_step(exact, solve, b[:, k], x[:, k].copy(), enough)
        if not error <= max(GOOD, enough):
            pivoted = pivoted or exact.factor_with_pivoting()
            if pivoted is not None:
                again = pivoted.solve
                other, other_error = _refine_step(exact, again, b[:, k], again(b[:, k : k + 1])[:, 0], enough)
                now = other if other_error < error or not np.isfinite(error) else now
        answer[:, k] = now
    return answer


def _refine_step(
    exact: ExactMatrix,
    solve: Callable[[Any], Any],
    b: Float[np.ndarray, " n"],
    x: Float[np.ndarray, " n"],
    enough: float,
) -> tuple[Float[np.ndarray, " n"], float]:
    best, least = x, np.inf
    sizes = np.abs(b) + exact.magnitudes.times(np.abs(x) + NEGLIGIBLE * _largest(exact, x))
    sizes = np.maximum(sizes, np.finfo(float).tiny + 1e-16 * sizes.max(initial=0.0))
    for _ in range(MOST):
        residual = b - exact.times(x)
        error = float((np.abs(residual) / sizes).max(initial=0.0))
        if not error < least:
            break
        stalled = error > 0.5 * least
        best, least = x, error
        if error <= enough or stalled:
            break
        x = x + solve(residual[:, None])[:, 0]
    return best, least


def _largest(exact: ExactMatrix, x: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Return the largest size of the unknowns, and for multipliers that of these."""
    found, primal = np.empty_like(x), exact.system.pattern.primal
    found[:primal] = np.abs(x[:primal]).max(initial=0.0)
    found[primal:] = np.abs(x[primal:]).max(initial=0.0)
    return found


def refine_gmres(
    exact: Any, solve: Callable[[Any], Any], b: Float[np.ndarray, " n"], x: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Return x plus what makes the residual b - K x least, of all that at most `MOST` solutions span."""
    from scipy.sparse.linalg import LinearOperator, gmres

    residual, shape = b - exact.times(x), (b.size, b.size)
    if not np.isfinite(residual).all():
        return x
    # Preconditioned from the right: the residual is that of K, not of what regularisation makes of it.
    operator: Any = LinearOperator  # its stub knows the constructors of subclasses only
    product = operator(shape, matvec=lambda y: exact.times(solve(y[:, None])[:, 0]), dtype=float)
    y, _ = gmres(product, residual, rtol=SMALL, restart=KRYLOV_VECTORS, maxiter=1)
    return x + solve(y[:, None])[:, 0]
