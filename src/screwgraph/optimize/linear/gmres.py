"""Answers where refinement is too slow: the best one of those that a few more solutions span.

Hard rows that nearly repeat others are hidden by regularisation, each in a direction of its own. There are few of them,
and GMRES, with the regularised factors before it, meets one in each step. Saad & Schultz (1986).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

MOST = 40
SMALL = 1e-4
"""Part of the residual that is small enough to be left."""


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
    y, _ = gmres(product, residual, rtol=SMALL, restart=MOST, maxiter=1)
    return x + solve(y[:, None])[:, 0]
