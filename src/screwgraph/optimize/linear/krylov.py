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


def searched(
    exact: Any, solve: Callable[[Any], Any], b: Float[np.ndarray, " n"], x: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Return x plus what makes the residual b - K x least, of all that at most `MOST` solutions span."""
    residual = b - exact.times(x)
    size = float(np.linalg.norm(residual))
    if not 0.0 < size < np.inf:
        return x
    basis, ways, images = np.zeros((MOST + 1, b.size)), np.zeros((MOST, b.size)), np.zeros((MOST + 1, MOST))
    basis[0], y = residual / size, np.zeros(0)
    for k in range(MOST):
        ways[k] = solve(basis[k][:, None])[:, 0]
        image = exact.times(ways[k])
        for _ in range(2):  # twice is enough: Giraud et al. (2005)
            part = basis[: k + 1] @ image
            images[: k + 1, k] += part
            image = image - part @ basis[: k + 1]
        images[k + 1, k] = np.linalg.norm(image)
        H, start = images[: k + 2, : k + 1], np.zeros(k + 2)
        start[0] = size
        y = np.linalg.lstsq(H, start, rcond=None)[0]
        if not np.linalg.norm(start - H @ y) > SMALL * size or not images[k + 1, k] > 0.0:
            break
        basis[k + 1] = image / images[k + 1, k]
    return x + y @ ways[: len(y)]
