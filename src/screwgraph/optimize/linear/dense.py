"""Small systems: one dense matrix, by LAPACK."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.singular_error import SingularError

SMALLEST = 1e-13
"""A pivot this small, against what stood on the diagonal or in its row, is zero."""
SINGULAR = 1e-15
"""A pivot this small, against the largest entry of the matrix, is zero, or nearly."""
SCALINGS = 2
"""Times that rows and columns are scaled. Ruiz (2001)."""


@cache
def load_lapack(name: str) -> Callable[..., Any]:
    """Return LAPACK's function for doubles; SciPy is loaded when the first one is asked for."""
    from scipy.linalg import get_lapack_funcs

    return get_lapack_funcs((name,), dtype=np.float64)[0]


@dataclass(frozen=True, eq=False)
class DenseMethod:
    """Cholesky; with multipliers L D L^T with pivoting (Bunch & Kaufman)."""

    pattern: Pattern
    places: Int[np.ndarray, " E"]

    def factor(self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"] | float) -> DenseFactored:
        """Factor the matrix of these values."""
        n = self.pattern.count
        flat = np.bincount(self.places, values, minlength=n * n)
        flat[:: n + 1] += diagonal
        matrix = flat.reshape(n, n).T  # lower triangle, column after column
        if self.pattern.multipliers:
            return _indefinite(self.pattern, matrix)
        before = matrix.diagonal().copy()
        lower, info = load_lapack("potrf")(matrix, lower=1, clean=0, overwrite_a=1)
        first = info - 1 if info > 0 else -1
        if info == 0:
            bad = ~(lower.diagonal() ** 2 > SMALLEST * before)
            first = int(np.argmax(bad)) if bad.any() else -1
        if first >= 0:
            raise SingularError(first, int(self.pattern.block_of[first]))
        return DenseFactored(lower, None, 0)


@dataclass(frozen=True, eq=False)
class DenseFactored:
    """The factors; with multipliers, `swaps` are LAPACK's; `scale` is that of rows and columns."""

    lower: Float[np.ndarray, "n n"]
    swaps: Int[np.ndarray, " n"] | None
    negative: int
    scale: Float[np.ndarray, " n"] | None = None

    def solve(self, b: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
        """Solve for several right sides."""
        if self.swaps is None:
            return load_lapack("potrs")(self.lower, b, lower=1)[0]
        if self.scale is None:
            return load_lapack("sytrs")(self.lower, self.swaps, b, lower=1)[0]
        scale = self.scale if b.ndim == 1 else self.scale[:, None]
        return scale * load_lapack("sytrs")(self.lower, self.swaps, scale * b, lower=1)[0]


def make_dense_method(pattern: Pattern) -> DenseMethod:
    """Prepare the places of entries in a dense matrix."""
    return DenseMethod(pattern, pattern.cols * pattern.count + pattern.rows)


def _indefinite(pattern: Pattern, matrix: Any) -> DenseFactored:
    """Factor a matrix with multipliers as it is; where it seems singular, with its rows and columns scaled.

    Barriers make some entries larger than others by many orders.
    """
    whole = np.abs(matrix)
    size = whole.max(axis=0, initial=0.0)
    found = _factor_dense(matrix.copy(order="F"), SINGULAR * size.max(initial=0.0))
    if isinstance(found, int):
        scale = np.ones(pattern.count)
        for _ in range(SCALINGS):
            size = np.maximum(whole.max(axis=0, initial=0.0), whole.max(axis=1, initial=0.0))
            root = 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0))
            scale, whole = scale * root, root[:, None] * whole * root
        found = _factor_dense(np.asfortranarray(scale[:, None] * matrix * scale), SMALLEST)
        if isinstance(found, int):
            raise SingularError(found, int(pattern.block_of[found]))
        return replace(found, scale=scale)
    return found


def _factor_dense(matrix: Any, least: float) -> DenseFactored | int:
    """Return L D L^T, or the unknown whose pivot is no larger than the least."""
    lower, swaps, info = load_lapack("sytrf")(matrix, lower=1, overwrite_a=1)
    negative, smallest, first = count_negative_pivots(lower, swaps)
    if info > 0 or not smallest > least:
        return info - 1 if info > 0 else first
    return DenseFactored(lower, swaps, negative)


def count_negative_pivots(lower: Float[np.ndarray, "n n"], swaps: Int[np.ndarray, " n"]) -> tuple[int, float, int]:
    """Return how many pivots of LAPACK's L D L^T are negative, the smallest one's size, and where it is."""
    pairs = np.flatnonzero(swaps < 0)[::2]
    single = swaps > 0
    diagonal = lower.diagonal()
    alone = diagonal[single]
    off = lower[pairs + 1, pairs]
    middle, half = (diagonal[pairs] + diagonal[pairs + 1]) / 2, (diagonal[pairs] - diagonal[pairs + 1]) / 2
    spread = np.hypot(half, off)
    both = np.concatenate([alone, middle - spread, middle + spread])
    where = np.concatenate([np.flatnonzero(single), pairs, pairs])
    if not both.size:
        return 0, np.inf, 0
    least = int(np.argmin(np.abs(both)))
    return int((both < 0).sum()), float(np.abs(both[least])), int(where[least])
