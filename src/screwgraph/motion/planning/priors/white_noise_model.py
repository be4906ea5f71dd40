"""White noise on the last of n derivatives: exact covariances and transitions.

A state is a position and its n - 1 derivatives, n = 2 for white noise on acceleration (constant velocity), n = 3 for
white noise on jerk (constant acceleration). All matrices here are of one coordinate, for a stretch of time of length 1;
stretches of length h scale them: entry (i, j) of Q by h^(2n - 1 - i - j), of Phi by h^(j - i).
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial

import numpy as np
from jaxtyping import Float


def transition(order: int, h: float = 1.0) -> Float[np.ndarray, "n n"]:
    """Return Phi(h): where a state is after h (s) without noise.

    Barfoot (2017), eq. (3.210); Xie et al. (2020), eq. (9).
    """
    return np.array([[h ** (j - i) / factorial(j - i) if j >= i else 0.0 for j in range(order)] for i in range(order)])


def covariance(order: int, h: float = 1.0) -> Float[np.ndarray, "n n"]:
    """Return Q(h): what noise of power 1 adds in h (s), (n, n). Xie et al. (2020), eq. (8); GPMP2 (2018), eq. (24)."""

    def entry(i: int, j: int) -> float:
        power = 2 * order - 1 - i - j
        return h**power / (power * factorial(order - 1 - i) * factorial(order - 1 - j))

    return np.array([[entry(i, j) for j in range(order)] for i in range(order)])


@lru_cache(maxsize=8)
def whitening(order: int) -> Float[np.ndarray, "n n"]:
    """Return W with W'W the inverse of Q(1), upper triangular."""
    found = np.linalg.inv(np.linalg.cholesky(covariance(order)[::-1, ::-1]))[::-1, ::-1]
    found.setflags(write=False)
    return found
