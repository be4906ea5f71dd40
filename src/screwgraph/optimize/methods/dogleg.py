"""Powell's dogleg method."""

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

SMALLEST_RADIUS = 1e-14


@dataclass(frozen=True)
class Dogleg:
    """Steps inside a trust region, from steepest descent to Gauss-Newton's, all of one factorisation. Powell (1970).

    `radius` is that of the first region, in the units of the unknowns.
    """

    radius: float = 1e3

    def __call__(
        self, assembly: Assembly, x: Float[np.ndarray, " s"], tolerances: Tolerances, memory: Mapping[str, Any]
    ) -> Run:
        """Solve by dogleg steps; every iterate costs less than the one before."""
        radius = float(memory.get("radius", self.radius))
        while True:
            cost, gradient, entries = assembly.linearise(x)
            yield Iterate(x, cost, gradient=max_magnitude(gradient), memory={"radius": radius})
            if not np.isfinite(cost):
                return Status.NOT_FINITE, "the cost is not finite"
            if max_magnitude(gradient) <= tolerances.gradient:
                return Status.CONVERGED, "the gradient vanishes"
            curved = dot(gradient, assembly.product(entries, gradient))
            steepest = -gradient * (dot(gradient, gradient) / curved)
            newton = _newton(assembly, entries, gradient, steepest)
            while True:
                step = _bent(steepest, newton, radius)
                predicted = -dot(gradient, step) - 0.5 * dot(step, assembly.product(entries, step))
                if predicted <= tolerances.decrease * cost:
                    yield from finish_step(assembly, x, step, cost)
                    return Status.CONVERGED, "no further decrease is predicted"
                if is_small_step(max_magnitude(step), x, tolerances):
                    return Status.CONVERGED, "steps have become small"
                trial = assembly.layout.retract(x, step)
                gain, length = (cost - assembly.cost(trial)) / predicted, np.sqrt(dot(step, step))
                if gain > 0.75:
                    radius = max(radius, 3.0 * length)
                elif not gain > 0.25:
                    radius = 0.5 * min(radius, length)
                if gain > 0.0:
                    break
                if radius < SMALLEST_RADIUS:
                    return Status.STALLED, "no step lowers the cost"
            x = trial


def _newton(assembly: Assembly, entries: np.ndarray, gradient: np.ndarray, steepest: np.ndarray) -> np.ndarray:
    """Return Gauss-Newton's step; steepest descent where it is not determined."""
    try:
        return -assembly.normal.factor(entries, 0.0).solve(gradient)
    except SingularError:
        return steepest


def _bent(steepest: np.ndarray, newton: np.ndarray, radius: float) -> np.ndarray:
    """Return the point of the dogleg's path at a radius."""
    if np.sqrt(dot(newton, newton)) <= radius:
        return newton
    length = np.sqrt(dot(steepest, steepest))
    if length >= radius:
        return steepest * (radius / length)
    along = newton - steepest
    a, b, c = dot(along, along), dot(steepest, along), length**2 - radius**2
    # The larger root of a t^2 + 2 b t + c = 0, without cancellation.
    root = np.sqrt(b * b - a * c)
    return steepest + along * (-c / (b + root) if b >= 0.0 else (root - b) / a)
