"""A problem at one point: costs, residuals and slopes, in units, rows scaled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.constraint_rows import BoundRows, BoundSlopes, ConstraintRows, CurvatureEntries
from screwgraph.optimize.kernel_calls import BoundCalls
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
        self._equal, self._unequal = assembly.equalities.bind(), assembly.inequalities.bind()
        self._soft = assembly.bind()
        self._assembly, self._views = assembly, views
        self.gradient = np.empty(layout.size)
        self.c, self.g = np.empty(assembly.equalities.count), np.empty(assembly.inequalities.count)
        self.A, self.G = self._equal.entries, self._unequal.entries
        calls = [*self._equal.calls, *self._unequal.calls, *(soft.call for soft in self._soft)]
        self._evaluate_all = BoundCalls(calls, self.x, views)

    def make_twin(self) -> BoundModel:
        """Return the same in arrays of its own, but for soft factors: in a fraction of the time."""
        other = object.__new__(BoundModel)
        x, rows = np.empty_like(self.x), [self._equal, self._unequal]
        views = self._assembly.layout.views(x)
        own = [BoundRows(np.empty_like(r.residuals), np.empty_like(r.entries), r.calls) for r in rows]
        pairs = [(self.x, x)]
        for old, new in zip(rows, own, strict=True):
            pairs += [(old.residuals, new.residuals), (old.entries, new.entries)]
        vars(other).update(scales=self.scales, x=x, _assembly=self._assembly, _views=views, _soft=self._soft)
        other._equal, other._unequal = own
        other.gradient, other.c, other.g = map(np.empty_like, (self.gradient, self.c, self.g))
        other.A, other.G = (r.entries for r in own)
        other._evaluate_all = self._evaluate_all.move(pairs, views)
        return other

    @cached_property
    def _cost_slopes(self) -> Callable[[], tuple[float, Float[np.ndarray, " n"]]]:
        """Costs and gradients alone, for which code is made when somebody first asks."""
        return self._assembly.bind_slopes(self._views)

    @cached_property
    def _entries(self) -> dict[str, tuple[slice, Callable[[], Float[np.ndarray, " e"]]]]:
        """By name of soft factors, where the entries of their batch stand, and what evaluates these."""
        return self._assembly.bind_entries(self._views)

    @cached_property
    def hard_slopes(self) -> tuple[BoundSlopes, BoundSlopes]:
        """Residuals and A'y of equalities, G'z of inequalities, without scales."""
        equal, unequal = self._assembly.equalities, self._assembly.inequalities
        return equal.bind_slopes(self._views), unequal.bind_slopes(self._views)

    def evaluate(self, x: Float[np.ndarray, " s"]) -> LocalModel:
        """Return the model at x, whose arrays are those of this object."""
        self.x[:] = x
        self._evaluate_all()
        broken = self._finish_rows()
        cost, entries = self._finish_costs()
        return LocalModel(cost, self.gradient, entries, self.c, self.A, self.g, self.G, broken)

    def evaluate_cost_slopes(self, x: Float[np.ndarray, " s"]) -> None:
        """Write the gradient of soft factors at x."""
        self.x[:] = x
        _scale(self._cost_slopes()[1], self.scales.units, self.gradient)

    def evaluate_hard_slopes(
        self, x: Float[np.ndarray, " s"], y: Float[np.ndarray, " m"], z: Float[np.ndarray, " k"]
    ) -> None:
        """Write c and g at x, and the products of `hard_slopes` with multipliers of scaled rows; A and G stay."""
        self.x[:] = x
        (equal, unequal), scales = self.hard_slopes, self.scales
        _scale(y, scales.equal, equal.multipliers)
        _scale(z, scales.unequal, unequal.multipliers)
        equal.evaluate()
        unequal.evaluate()
        self._scale_residuals(equal.residuals, unequal.residuals)

    def evaluate_entries(
        self, x: Float[np.ndarray, " s"], names: Iterable[str]
    ) -> list[tuple[slice, Float[np.ndarray, " e"]]]:
        """Return the entries of J'J at x of some soft factors and those in their batches, and where these stand."""
        self.x[:] = x
        scale, batches = self.scales.costs, {id(own): own for own in (self._entries[name] for name in names)}
        found = [(place, call()) for place, call in batches.values()]
        return [(place, own if scale is None else own * scale[place]) for place, own in found]

    def _finish_rows(self) -> float:
        """Scale residuals and slopes of hard factors; return the largest residual, without scales."""
        equal, unequal, scales = self._equal, self._unequal, self.scales
        broken = max(np.abs(equal.residuals).max(initial=0.0), unequal.residuals.max(initial=0.0))
        self._scale_residuals(equal.residuals, unequal.residuals)
        _scale(self.A, scales.slopes, self.A)
        _scale(self.G, scales.unequal_slopes, self.G)
        return float(broken)

    def _scale_residuals(self, c: Float[np.ndarray, " m"], g: Float[np.ndarray, " k"]) -> None:
        """Write c and g of residuals without scales."""
        _scale(c, self.scales.equal, self.c)
        np.subtract(g, self.scales.relaxed, out=self.g)
        _scale(self.g, self.scales.unequal, self.g)

    def _finish_costs(self) -> tuple[float, Float[np.ndarray, " e"]]:
        cost, gradient, entries = self._assembly.finish(self._soft)
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
