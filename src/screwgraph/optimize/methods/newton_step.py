"""Steps of a primal-dual interior-point method. Nocedal & Wright (2006), (19.12)."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.linear import Factored
from screwgraph.optimize.methods.kkt import Kkt, Model
from screwgraph.optimize.methods.point import Point, Step

ACCURACY = 1e-7
"""Of a step, row by row; what is left over is what the next step takes away."""


def newton_step(
    kkt: Kkt, model: Model, point: Point, factored: Factored, c: Float[np.ndarray, " m"], r: Float[np.ndarray, " k"]
) -> Step:
    """Solve for a step that takes equalities' residuals c and inequalities' r = g + s away."""
    s, z, n = point.s, point.z, len(model.gradient)
    pull = point.barrier / s + z / s * r
    right = np.concatenate([-model.gradient - kkt.pulled(model, np.zeros(len(model.c)), pull), -c])
    both = factored.solve(right, ACCURACY)
    d = both[:n]
    ds = -r - kkt.along(model, d)
    dz = (point.barrier - z * ds) / s - z
    return Step(d, ds, both[n:] - point.y, dz, c, r)


def corrected(
    kkt: Kkt, model: Model, point: Point, factored: Factored, step: Step, x: np.ndarray, s: np.ndarray
) -> Step:
    """Return the step with a second-order correction: residuals at its end are taken away, too."""
    views = kkt.assembly.layout.views(x)
    c = kkt.assembly.equalities.residuals(views) + step.c
    r = kkt.assembly.inequalities.residuals(views) + s + step.r
    return newton_step(kkt, model, point, factored, c, r)
