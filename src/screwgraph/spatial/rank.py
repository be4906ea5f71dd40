"""Rank and null space of small dense matrices, by singular values relative to the largest."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


def null_space(
    A: Float[np.ndarray, "rows n"], *, least: float = 0.0, rank: int | None = None
) -> Float[np.ndarray, "n k"]:
    """Return an orthonormal basis, as columns, of what A maps to zero.

    The rank of A is `rank`, by default the number of singular values above `least` times the largest.
    """
    if not A.size:
        return np.eye(A.shape[1])
    _, s, Vt = np.linalg.svd(A)
    return Vt[int((s > least * s[0]).sum()) if rank is None else rank :].T


def has_independent_rows(A: Float[np.ndarray, "rows n"], least: float) -> bool:
    """Tell whether all singular values of A, one a row, are above `least` times the largest."""
    s = np.linalg.svd(A, compute_uv=False)
    return bool(s.size == len(A) and s.min(initial=np.inf) > least * s.max(initial=0.0))
