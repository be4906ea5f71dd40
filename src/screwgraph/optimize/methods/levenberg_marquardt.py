"""Levenberg and Marquardt's method."""

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

LARGEST_DAMPING = 1e16
SMALLEST_DAMPING = 1e-14
"""Relative to the diagonal of J'J as it is, which may have become much smaller than it was."""


@dataclass(frozen=True)
class LevenbergMarquardt:
    """Gauss-Newton steps, damped where they do not keep what they promise. Marquardt (1963), Fletcher (1971),
    Nielsen (1999) where steps fail.

    `damping` is that of the first step, relative to the diagonal of J'J.
    """

    damping: float = 1e-6

    def __call__(
        self, assembly: Assembly, x: Float[np.ndarray, " s"], tolerances: Tolerances, memory: Mapping[str, Any]
    ) -> Run:
        """Solve by damped steps; every iterate costs less than the one before."""
        damping, growth = float(memory.get("damping", self.damping)), 2.0
        cost, gradient, entries = assembly.linearise(x)
        scale = _scale(assembly.diagonal(entries))
        while True:
            yield Iterate(x, cost, gradient=max_magnitude(gradient), memory={"damping": damping})
            if not np.isfinite(cost):
                return Status.NOT_FINITE, "the cost is not finite"
            if max_magnitude(gradient) <= tolerances.gradient:
                return Status.CONVERGED, "the gradient vanishes"
            while True:
                if damping > LARGEST_DAMPING:
                    return Status.STALLED, "no step lowers the cost"
                try:
                    step = -assembly.normal.factor(entries, damping * scale).solve(gradient)
                except SingularError:
                    damping, growth = max(damping * growth, 1e-12), 2.0 * growth
                    continue
                predicted = 0.5 * dot(step, damping * scale * step - gradient)
                if predicted <= tolerances.decrease * cost:
                    yield from finish_step(assembly, x, step, cost)
                    return Status.CONVERGED, "no further decrease is predicted"
                if is_small_step(max_magnitude(step), x, tolerances):
                    return Status.CONVERGED, "steps have become small"
                trial = assembly.layout.retract(x, step)
                gain = (cost - assembly.cost(trial)) / predicted
                if gain > 0.0:
                    break
                damping, growth = max(damping * growth, 1e-12), 2.0 * growth
            x, growth = trial, 2.0
            cost, gradient, entries = assembly.linearise(x)
            now = _scale(assembly.diagonal(entries))
            scale = np.maximum(scale, now)
            least = SMALLEST_DAMPING * max_magnitude(now / scale)
            damping = max(damping * _change(gain), least)


def _change(gain: float) -> float:
    """Return the factor of the damping after a step that gained so much of what it promised.

    Along curved valleys steps gain little; damping must rise quickly there, and come down where models hold.
    """
    if gain > 0.75:
        return 0.1
    return 0.5 if gain > 0.25 else 4.0


def _scale(diagonal: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Return the diagonal, at least a little of its largest entry: unknowns that nothing holds must not run away."""
    return np.maximum(diagonal, 1e-8 * diagonal.max(initial=1e-8))
