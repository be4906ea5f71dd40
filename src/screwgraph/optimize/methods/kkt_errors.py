"""How far from optimal a point is. Waechter & Biegler (2006), (5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.methods.base import Tolerances, max_magnitude
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.methods.local_model import LocalModel
from screwgraph.optimize.methods.primal_dual_point import PrimalDualPoint


@dataclass(frozen=True)
class KktErrors:
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
        complementary = max_magnitude(self.products - barrier) / slope
        return max(self.stationary / max(slope, self.multiplier), self.residual, complementary)

    def hold(self, model: LocalModel, tolerances: Tolerances) -> bool:
        """Whether the KKT conditions are satisfied."""
        return self.largest(0.0) <= tolerances.dual and model.violation <= tolerances.violation


def compute_kkt_errors(kkt: KktSystem, model: LocalModel, point: PrimalDualPoint) -> KktErrors:
    """Return the errors at a point."""
    stationary = max_magnitude(model.gradient + kkt.multiply_transposed(model, point.y, point.z))
    residual = max(max_magnitude(model.c), max_magnitude(model.g + point.s))
    return KktErrors(stationary, residual, point.s * point.z, max_magnitude(model.gradient), max_magnitude(point.y))
