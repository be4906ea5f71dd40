"""A problem at one point: costs, residuals and slopes, in units, rows scaled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.constraint_rows import ConstraintRows, CurvatureEntries
from screwgraph.optimize.methods.row_scales import RowScales


@dataclass(frozen=True, eq=False)
class LocalModel:
    """A problem at one point: cost, gradient and entries of soft factors; residuals and slopes of hard ones.

    c and A belong to equalities, g and G to inequalities; slopes are entries at the rows' places. All four are scaled,
    `violation`, the largest residual that should vanish or should not be positive, is not.
    """

    cost: float
    gradient: Float[np.ndarray, " n"]
    entries: Float[np.ndarray, " e"]
    c: Float[np.ndarray, " m"]
    A: Float[np.ndarray, " a"]
    g: Float[np.ndarray, " k"]
    G: Float[np.ndarray, " b"]
    violation: float


@dataclass(frozen=True, eq=False)
class ModelScales:
    """Factors of residuals and slopes; None where all are 1. Residuals of inequalities are `relaxed` first.

    `units` (n,) are those of directions, `costs` the products of the units of each entry of J'J.
    """

    equal: Float[np.ndarray, " m"] | None
    unequal: Float[np.ndarray, " k"] | None
    slopes: Float[np.ndarray, " a"] | None
    unequal_slopes: Float[np.ndarray, " b"] | None
    units: Float[np.ndarray, " n"] | None
    costs: Float[np.ndarray, " e"] | None
    relaxed: float

    @classmethod
    def from_assembly(
        cls, assembly: Assembly, scales: RowScales | None, units: Float[np.ndarray, " n"] | None, relaxed: float
    ) -> ModelScales:
        """Look up the factor of each entry."""
        equal, unequal = assembly.equalities, assembly.inequalities
        one, other = (None, None) if scales is None else (scales.equal, scales.unequal)
        slopes, unequal_slopes = _slope_scales(equal, one, units), _slope_scales(unequal, other, units)
        return cls(one, other, slopes, unequal_slopes, units, unit_products(assembly, units), relaxed)


class BoundModel:
    """A problem whose unknowns are copied into one vector, and evaluated there into arrays that are used again."""

    def __init__(self, assembly: Assembly, scales: ModelScales) -> None:
        self.scales, layout = scales, assembly.layout
        self.x = np.empty(sum(place.stop - place.start for place in layout.places.values()))
        views = layout.views(self.x)
        self._equal, self._unequal = assembly.equalities.bind(views), assembly.inequalities.bind(views)
        self._costs = assembly.bind(views)
        self._bind_slopes = partial(assembly.bind_slopes, views)
        self.gradient = np.empty(layout.size)
        self.c, self.g = np.empty(assembly.equalities.count), np.empty(assembly.inequalities.count)
        self.A, self.G = self._equal.entries, self._unequal.entries

    @cached_property
    def _slopes(self) -> Callable[[], tuple[float, Float[np.ndarray, " n"]]]:
        """Costs and gradients alone, for which code is made when somebody first asks."""
        return self._bind_slopes()

    def evaluate(self, x: Float[np.ndarray, " s"]) -> LocalModel:
        """Return the model at x, whose arrays are those of this object."""
        broken = self._evaluate_rows(x)
        cost, entries = self._evaluate_costs()
        return LocalModel(cost, self.gradient, entries, self.c, self.A, self.g, self.G, broken)

    def evaluate_slopes(self, x: Float[np.ndarray, " s"], model: LocalModel) -> LocalModel:
        """Return the model at x; entries stay those of another one, until `with_new_costs` gives it its own."""
        broken = self._evaluate_rows(x)
        cost, gradient = self._slopes()
        _scale(gradient, self.scales.units, self.gradient)
        return replace(model, cost=cost, violation=broken)

    def _evaluate_rows(self, x: Float[np.ndarray, " s"]) -> float:
        """Write residuals and slopes of hard factors at x; return the largest residual, without scales."""
        self.x[:] = x
        equal, unequal, scales = self._equal, self._unequal, self.scales
        equal.evaluate()
        unequal.evaluate()
        broken = max(np.abs(equal.residuals).max(initial=0.0), unequal.residuals.max(initial=0.0))
        _scale(equal.residuals, scales.equal, self.c)
        np.subtract(unequal.residuals, scales.relaxed, out=self.g)
        _scale(self.g, scales.unequal, self.g)
        _scale(self.A, scales.slopes, self.A)
        _scale(self.G, scales.unequal_slopes, self.G)
        return float(broken)

    def with_new_costs(self, model: LocalModel) -> LocalModel:
        """Return the model that was evaluated last, where soft factors alone have changed since, with its entries."""
        cost, entries = self._evaluate_costs()
        return replace(model, cost=cost, gradient=self.gradient, entries=entries)

    def _evaluate_costs(self) -> tuple[float, Float[np.ndarray, " e"]]:
        cost, gradient, entries = self._costs()
        _scale(gradient, self.scales.units, self.gradient)
        return cost, entries if self.scales.costs is None else entries * self.scales.costs


def unit_products(
    at: Assembly | CurvatureEntries, units: Float[np.ndarray, " n"] | None
) -> Float[np.ndarray, " e"] | None:
    """Return the product of the units of each second derivative, None where all are 1."""
    return None if units is None else units[at.rows] * units[at.columns]


def _slope_scales(
    rows: ConstraintRows, scale: Float[np.ndarray, " m"] | None, units: Float[np.ndarray, " n"] | None
) -> Float[np.ndarray, " a"] | None:
    """Return the factor of each entry of a Jacobian, None where all are 1."""
    if scale is None:
        return None if units is None else units[rows.columns]
    return scale[rows.rows] if units is None else scale[rows.rows] * units[rows.columns]


def _scale(values: np.ndarray, scale: np.ndarray | None, to: np.ndarray) -> None:
    """Write values times their scales, where they have some."""
    if scale is not None:
        np.multiply(values, scale, out=to)
    elif values is not to:
        to[:] = values
