"""Gauss-Newton's method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.linear import SingularError
from screwgraph.optimize.methods.base import Run, Tolerances, dot, finish_step, is_small_step, max_magnitude
from screwgraph.optimize.result import Iterate, Status


@dataclass(frozen=True)
class GaussNewton:
    """Full steps to the optimum of the linearised problem: fast near it, without any guard far from it."""

    def __call__(
        self, assembly: Assembly, x: Float[np.ndarray, " s"], tolerances: Tolerances, memory: Mapping[str, Any]
    ) -> Run:
        """Solve by Gauss-Newton steps."""
        while True:
            cost, gradient, entries = assembly.linearise(x)
            yield Iterate(x, cost, gradient=max_magnitude(gradient))
            if not np.isfinite(cost):
                return Status.NOT_FINITE, "the cost is not finite"
            if max_magnitude(gradient) <= tolerances.gradient:
                return Status.CONVERGED, "the gradient vanishes"
            try:
                step = -assembly.normal.factor(entries, 0.0).solve(gradient)
            except SingularError as error:
                return Status.SINGULAR, f"{assembly.layout.name_direction(error.unknown)} is not determined"
            if -0.5 * dot(gradient, step) <= tolerances.decrease * cost:
                yield from finish_step(assembly, x, step, cost)
                return Status.CONVERGED, "no further decrease is predicted"
            if is_small_step(max_magnitude(step), x, tolerances):
                return Status.CONVERGED, "steps have become small"
            x = assembly.layout.retract(x, step)
