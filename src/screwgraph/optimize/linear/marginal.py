"""What is left on some unknowns of a quadratic cost when the others have been minimised away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.optimize.linear.pattern import SingularError

RANK = 1e-10
"""Rows whose part is this small, against the largest, do not count."""


@dataclass(frozen=True, eq=False)
class QuadraticMarginal:
    """1/2 x^T H x + g^T x on the kept unknowns, subject to A x + b = 0 (which may have no rows)."""

    __repr__ = one_line

    H: Float[np.ndarray, "k k"]
    g: Float[np.ndarray, " k"]
    A: Float[np.ndarray, "m k"]
    b: Float[np.ndarray, " m"]


def marginalise(
    H: Float[np.ndarray, "n n"],
    g: Float[np.ndarray, " n"],
    keep: np.ndarray,
    A: Float[np.ndarray, "m n"] | None = None,
    b: Float[np.ndarray, " m"] | None = None,
) -> QuadraticMarginal:
    """Minimise 1/2 x^T H x + g^T x, subject to A x + b = 0, over all unknowns but those in `keep`.

    `keep` is a boolean mask, or indices, whose order the answer has. Hard rows that touch leaving unknowns are solved
    for some of these; combinations of rows without them stay as rows on the kept ones. Raises SingularError where
    an unknown that leaves is not determined (its `unknown` counts in H, `block` too), InputError for shapes that
    do not fit. Schur complement and null space: Nocedal & Wright, Numerical Optimization, 2nd ed., 16.2.
    """
    from scipy.linalg import cho_solve

    n = g.shape[0]
    A = np.zeros((0, n)) if A is None else A
    b = np.zeros(A.shape[0]) if b is None else b
    if H.shape != (n, n) or A.shape != (b.shape[0], n):
        raise InputError("marginalise", why=f"H {H.shape}, g {g.shape}, A {A.shape} and b {b.shape} do not fit")
    kept = np.flatnonzero(keep) if np.asarray(keep).dtype == bool else np.asarray(keep, dtype=np.int64)
    leave = np.setdiff1d(np.arange(n), kept)
    held, free, A_left, b_left = _split(A[:, leave], A[:, kept], b)
    # x_leave = shift + follow x_kept + free y, where y is free.
    shift, follow = held @ -b, held @ -A[:, kept]
    H_ll, H_lk = H[np.ix_(leave, leave)], H[np.ix_(leave, kept)]
    pull = H_lk + H_ll @ follow
    force = g[leave] + H_ll @ shift
    H_kept = H[np.ix_(kept, kept)] + follow.T @ H_lk + H_lk.T @ follow + follow.T @ H_ll @ follow
    g_kept = g[kept] + H_lk.T @ shift + follow.T @ force
    if free.shape[1]:
        factor = _cholesky(free.T @ H_ll @ free, free, leave)
        H_kept = H_kept - (free.T @ pull).T @ cho_solve(factor, free.T @ pull)
        g_kept = g_kept - (free.T @ pull).T @ cho_solve(factor, free.T @ force)
    return QuadraticMarginal((H_kept + H_kept.T) / 2, g_kept, A_left, b_left)


def _split(
    leaving: Float[np.ndarray, "m l"], kept: Float[np.ndarray, "m k"], b: Float[np.ndarray, " m"]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the pseudo-inverse of the rows' leaving part, its null space, and the rows without a leaving part."""
    m, count = leaving.shape
    if m == 0 or count == 0:
        return np.zeros((count, m)), np.eye(count), kept, b
    U, sizes, Vt = np.linalg.svd(leaving)
    rank = int((sizes > RANK * np.abs(np.hstack([leaving, kept])).max(initial=0.0)).sum())
    held = (Vt[:rank].T / sizes[:rank]) @ U[:, :rank].T
    A_left, b_left = U[:, rank:].T @ kept, U[:, rank:].T @ b
    return held, Vt[rank:].T, *_independent(A_left, b_left)


def _independent(A: Float[np.ndarray, "m k"], b: Float[np.ndarray, " m"]) -> tuple[np.ndarray, np.ndarray]:
    """Drop rows that say nothing new; rows that contradict others stay, for whoever solves them to find."""
    from scipy.linalg import qr

    rows = np.column_stack([A, b])
    if not rows.size:
        return A, b
    R, order = cast(tuple[np.ndarray, np.ndarray], qr(rows.T, mode="r", pivoting=True))
    size = np.abs(np.diag(R))
    chosen = np.sort(order[: int((size > RANK * size.max()).sum())])
    return A[chosen], b[chosen]


def _cholesky(matrix: Float[np.ndarray, "f f"], free: Float[np.ndarray, "l f"], leave: np.ndarray) -> tuple:
    from scipy.linalg import cho_factor

    values, vectors = np.linalg.eigh(matrix)
    if not values[0] > 1e-13 * max(values[-1], 0.0):
        worst = int(leave[np.argmax(np.abs(free @ vectors[:, 0]))])
        raise SingularError(worst, worst)
    return cho_factor(matrix, lower=True)
