"""Gauss-Newton steps on a window: one at full length, or as many as it takes, damped where the cost does not fall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.result import Status

LARGEST_DAMPING = 1e12
TINY = 1e-7
"""Steps, relative to the values, that no longer change the cost by more than rounding."""

UNDAMPED = np.zeros(1)
UNDAMPED.flags.writeable = False

Newton = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, float, float]]
"""From values and damping (1,) to the end of a step, the cost at its beginning, and its largest entry."""


@dataclass(frozen=True)
class WindowStatus:
    """How the optimisation of a window ended."""

    status: Status
    iterations: int
    cost: float
    step: float


def take_step(
    newton: Newton, x: Float[np.ndarray, " s"], tolerance: float
) -> tuple[Float[np.ndarray, " s"], WindowStatus]:
    """Take one full step; return where it ends, and how. A step that is not finite is not taken."""
    moved, cost, step = newton(x, UNDAMPED)
    if not np.isfinite(step):
        return x, WindowStatus(Status.SINGULAR if np.isfinite(cost) else Status.NOT_FINITE, 0, float(cost), float(step))
    status = Status.CONVERGED if step <= tolerance else Status.ITERATION_LIMIT
    return moved, WindowStatus(status, 1, float(cost), float(step))


def optimise_window(
    newton: Newton, x: Float[np.ndarray, " s"], iterations: int, tolerance: float
) -> tuple[Float[np.ndarray, " s"], WindowStatus]:
    """Take steps until one is within the tolerance; return the best values, and how it ended."""
    damping, given = 0.0, np.zeros(1)
    cost, size, best, count = np.inf, np.inf, x, -1
    status = Status.ITERATION_LIMIT
    for _ in range(iterations + 1):
        count += 1
        given[0] = damping
        moved, now, step = newton(x, given)
        # Where steps are tiny, costs differ by rounding only.
        if not now <= cost and not _tiny(size, best):
            if not np.isfinite(cost):
                status = Status.NOT_FINITE
                break
            x, damping = best, max(10.0 * damping, 1e-6)
            if damping > LARGEST_DAMPING:
                status = Status.STALLED
                break
            continue
        stuck = step > 0.5 * size and _tiny(step, x)
        cost, size, best = now, step, x
        if not np.isfinite(size):
            status = Status.SINGULAR
            break
        x = moved
        damping *= 0.1
        if size <= tolerance or stuck:
            best, status = x, Status.CONVERGED
            break
    return best, WindowStatus(status, count, float(cost), float(size))


def _tiny(step: float, x: np.ndarray) -> bool:
    return step <= TINY * (1.0 + float(np.abs(x).max()))
