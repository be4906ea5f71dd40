"""How far from optimal a point is. Waechter & Biegler (2006), (5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.methods.base import Tolerances, largest
from screwgraph.optimize.methods.kkt import Kkt, Model
from screwgraph.optimize.methods.point import Point


@dataclass(frozen=True)
class Errors:
    """The Lagrangian's gradient, residuals of hard factors, products of slacks and multipliers.

    The gradient counts relative to its parts, products relative to the cost's gradient alone: multipliers may be as
    large as they like where equalities repeat what inequalities say.
    """

    stationary: float
    residual: float
    products: Float[np.ndarray, " k"]
    slope: float
    multiplier: float

    def largest(self, barrier: float) -> float:
        """Return the largest of these, products as they differ from the barrier."""
        slope = max(1.0, self.slope)
        complementary = largest(self.products - barrier) / slope
        return max(self.stationary / max(slope, self.multiplier), self.residual, complementary)

    def hold(self, model: Model, tolerances: Tolerances) -> bool:
        """Whether the KKT conditions are satisfied."""
        return self.largest(0.0) <= tolerances.dual and model.violation <= tolerances.violation


def errors(kkt: Kkt, model: Model, point: Point) -> Errors:
    """Return the errors at a point."""
    stationary = largest(model.gradient + kkt.pulled(model, point.y, point.z))
    residual = max(largest(model.c), largest(model.g + point.s))
    return Errors(stationary, residual, point.s * point.z, largest(model.gradient), largest(point.y))
