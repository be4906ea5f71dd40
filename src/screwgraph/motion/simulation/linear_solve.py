"""Linear equations on a tape."""

from __future__ import annotations

import numpy as np


def solve_linear(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solve A x = b by elimination without pivoting: A is near 1, or has a positive definite symmetric part."""
    A, x, n = A.copy(), b.copy(), len(b)
    for i in range(n):
        for j in range(i + 1, n):
            factor = A[j, i] / A[i, i]
            A[j, i + 1 :] = A[j, i + 1 :] - factor * A[i, i + 1 :]
            x[j] = x[j] - factor * x[i]
    for i in reversed(range(n)):
        x[i] = (x[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x
