"""How far from optimal a point is. Waechter & Biegler (2006), (5)."""

from __future__ import annotations

from typing import NamedTuple

from screwgraph.compiler.kernels import new_arrays
from screwgraph.optimize.methods.base import Tolerances
from screwgraph.optimize.methods.local_model import LocalModel
from screwgraph.optimize.methods.primal_dual_point import PointNumbers, PrimalDualPoint


class KktErrors(NamedTuple):
    """The Lagrangian's gradient, residuals of hard factors, products of slacks and multipliers.

    The gradient counts relative to its parts, products relative to the cost's gradient alone: multipliers may be as
    large as they like where equalities repeat what inequalities say.
    """

    stationary: float
    residual: float
    products: tuple[float, float] | None
    """Least and largest one, if there are any."""
    slope: float
    multiplier: float

    def largest(self, barrier: float) -> float:
        """Return the largest of these, products as they differ from the barrier."""
        slope = max(1.0, self.slope)
        complementary = 0.0
        if self.products is not None:
            least, most = self.products
            complementary = max(most - barrier, barrier - least) / slope
        return max(self.stationary / max(slope, self.multiplier), self.residual, complementary)

    def hold(self, model: LocalModel, tolerances: Tolerances) -> bool:
        """Whether the KKT conditions are satisfied."""
        return self.largest(0.0) <= tolerances.dual and model.violation <= tolerances.violation


def compute_kkt_errors(model: LocalModel, point: PrimalDualPoint) -> tuple[KktErrors, PointNumbers]:
    """Return the errors at a point, and what a step from there takes."""
    n, count, (_, s, y, z) = len(model.gradient), len(model.g), point.addresses
    calls, ((products, r, ratios), to) = model.bound.calls, new_arrays(n, count, count)
    calls.measure_errors(s, z, y, *to)
    residual, least, most, total, stationary, steepest, dual = calls.found.tolist()
    numbers = PointNumbers(products, r, ratios, total, to)
    return KktErrors(stationary, residual, (least, most) if count else None, steepest, dual), numbers
