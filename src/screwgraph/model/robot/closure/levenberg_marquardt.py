"""The step of Levenberg and Marquardt towards positions at which residuals vanish, for robots and mechanisms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from jaxtyping import Float

FLOOR = 1e-10
"""Singular values of a Jacobian below this part of the largest count as zero."""
TRIES = 20
GAIN = 1.0 - 1e-6
"""Part of the squared residual that a step must stay below."""

End = TypeVar("End")


def take_damped_step(
    residual: Float[np.ndarray, " m"],
    jacobian: Float[np.ndarray, "m k"],
    ahead: Callable[[Float[np.ndarray, " k"]], tuple[End, Float[np.ndarray, " m"]]],
    *,
    gain: float = GAIN,
    farthest: float = np.inf,
) -> End | None:
    """Return where the least damped step leads that shrinks the residual; None where none does.

    Damping begins with the squared residual, which converges quadratically on redundant rows, too: Yamashita &
    Fukushima (2001). `ahead` tells where a step leads, and the residual there; no entry of a step is beyond `farthest`.
    """
    U, s, Vt = np.linalg.svd(jacobian, full_matrices=False)
    if not s.any():
        return None
    kept = s > FLOOR * s[0]
    s, Vt, along = s[kept], Vt[kept], (U.T @ residual)[kept]
    before = float(residual @ residual)
    damping = min(before, s[0] ** 2)
    for _ in range(TRIES):
        step = -Vt.T @ (s / (s**2 + damping) * along)
        end, there = ahead(step * min(1.0, farthest / max(np.abs(step).max(), 1e-300)))
        if float(there @ there) < before * gain:
            return end
        damping = max(10.0 * damping, 1e-8 * s[0] ** 2)
    return None
