"""A problem at one point: costs, residuals and slopes, in units, rows scaled."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.kernels import address_of, fix_arguments
from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.constraint_rows import BoundRows, BoundSlopes, ConstraintRows, CurvatureEntries, InequalityRows
from screwgraph.optimize.kernel_calls import BoundCalls
from screwgraph.optimize.methods.bound_residuals import BoundResiduals
from screwgraph.optimize.methods.model_kernels import CostNumbers, RowNumbers, compile_model_code
from screwgraph.optimize.methods.row_scales import RowScales
from screwgraph.optimize.methods.slack_kernels import SlackCalls, bind_slacks


class LocalModel(NamedTuple):
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
    bound: BoundModel
    """The problem there, whose arrays these are."""

    @property
    def addresses(self) -> tuple[int, ...]:
        """Addresses of the gradient, c, g, A and G."""
        return self.bound.addresses


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

    def repeat(self, others: ModelScales) -> bool:
        """Whether they are the arrays of others, or none as there, and relax by as much."""
        arrays = zip(vars(self).items(), vars(others).values(), strict=True)
        return self.relaxed == others.relaxed and all(a is b for (name, a), b in arrays if name != "relaxed")


@dataclass(frozen=True, eq=False)
class ValuePlaces:
    """Places among the values of the KKT matrix: J'J of soft factors, curvature, inequalities condensed, A."""

    entries: slice
    bends: tuple[slice, slice]
    squares: slice
    slopes: slice

    @classmethod
    def from_assembly(cls, assembly: Assembly, curved: bool) -> ValuePlaces:
        """Count the entries of each."""
        equal, unequal = assembly.equalities, assembly.inequalities
        bends = [rows.bends.rows.size if curved else 0 for rows in (equal, unequal)]
        sizes = [assembly.rows.size, *bends, unequal.groups.rows.size, equal.rows.size]
        ends = np.cumsum([0, *sizes]).tolist()
        entries, first, second, squares, slopes = (slice(a, b) for a, b in itertools.pairwise(ends))
        return cls(entries, (first, second), squares, slopes)


class BoundModel:
    """A problem whose unknowns are copied into one vector, and evaluated there into arrays that are used again."""

    def __init__(self, assembly: Assembly, scales: ModelScales, curved: bool) -> None:
        self.scales, layout, assembly = scales, assembly.layout, assembly.with_own_buffers()
        self.places = ValuePlaces.from_assembly(assembly, curved)
        self.values = np.empty(self.places.slopes.stop)
        self.x = np.empty(sum(place.stop - place.start for place in layout.places.values()))
        views = layout.views(self.x)
        self._equal = assembly.equalities.bind(self.values[self.places.slopes])
        self._unequal, self.entries = assembly.inequalities.bind(), self.values[self.places.entries]
        self._soft = assembly.bind(self.entries)
        self._assembly, self._views = assembly, views
        self.gradient = np.empty(layout.size)
        self.c, self.g = np.empty(assembly.equalities.count), np.empty(assembly.inequalities.count)
        self.A, self.G = self._equal.entries, self._unequal.entries
        calls = [*self._equal.calls, *self._unequal.calls, *(soft.call for soft in self._soft)]
        self._evaluate_all = BoundCalls(calls, self.x, views)

    def make_twin(self) -> BoundModel:
        """Return the same in arrays of its own, but for gradients and costs of factors: in a fraction of the time."""
        other = object.__new__(BoundModel)
        x, values, G = map(np.empty_like, (self.x, self.values, self.G))
        views = self._assembly.layout.views(x)
        residuals = [np.empty_like(r.residuals) for r in (self._equal, self._unequal)]
        pairs = [(self.x, x), (self.values, values), (self.G, G)]
        pairs += zip((self._equal.residuals, self._unequal.residuals), residuals, strict=True)
        vars(other).update(scales=self.scales, x=x, values=values, places=self.places, G=G)
        vars(other).update(_assembly=self._assembly, _views=views)
        other.A, other.entries = values[self.places.slopes], values[self.places.entries]
        other._equal = BoundRows(residuals[0], other.A, self._equal.calls)
        other._unequal = BoundRows(residuals[1], G, self._unequal.calls)
        other._soft = self._assembly.move_calls(self._soft, other.entries)
        other.gradient, other.c, other.g = map(np.empty_like, (self.gradient, self.c, self.g))
        other._evaluate_all = self._evaluate_all.move(pairs, views)
        return other

    def adopt(self, assembly: Assembly, scales: ModelScales) -> None:
        """Take other scales, of rows, units and costs; parameters of factors are the same."""
        of_costs = ("_cost_slopes", "_entries") if assembly.cost_scale != self._assembly.cost_scale else ()
        finishes = () if not of_costs and scales.repeat(self.scales) else ("_finish",)
        self._assembly, self.scales = self._assembly.with_scales(assembly.cost_scale, assembly.units), scales
        for name in (*finishes, *of_costs):
            vars(self).pop(name, None)

    @cached_property
    def _finish(self) -> Callable[[], tuple[float, float]]:
        """Finish what calls have written, with the scales; return the cost and the largest residual."""
        scales, part = self.scales, 1.0 / self._assembly.cost_scale
        tables = (
            _bind_rows(self._equal, self.c, scales.equal, scales.slopes),
            _bind_rows(self._unequal, self.g, scales.unequal, scales.unequal_slopes),
            _bind_costs(self._assembly, self.gradient, self.entries, scales),
        )
        found, arguments = np.zeros(2), (a for table in tables for a in table.addresses)
        code = compile_model_code()["finish_model"]
        call = fix_arguments(code, *arguments, scales.relaxed, part, address_of(found))

        def finish() -> tuple[float, float]:
            call()
            cost, broken = found.tolist()
            return cost, broken

        vars(finish)["tables"] = tables  # whose addresses are arguments
        return finish

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
        equal, unequal = self._hard_rows
        return equal.bind_slopes(self._views), unequal.bind_slopes(self._views)

    def evaluate(self, x: Float[np.ndarray, " s"]) -> LocalModel:
        """Return the model at x, whose arrays are those of this object."""
        self.evaluate_factors(x)
        return self.scale_model()

    def evaluate_factors(self, x: Float[np.ndarray, " s"]) -> None:
        """Write residuals and slopes of all factors at x, without scales."""
        self.x[:] = x
        self._evaluate_all()

    def scale_model(self) -> LocalModel:
        """Return the model of what factors have written, once: slopes are scaled in their places."""
        for soft in self._soft:
            soft.multiply()
        cost, broken = self._finish()
        return LocalModel(cost, self.gradient, self.entries, self.c, self.A, self.g, self.G, broken, self)

    @cached_property
    def addresses(self) -> tuple[int, ...]:
        """Addresses of the gradient, c, g, A and G."""
        return tuple(map(address_of, (self.gradient, self.c, self.g, self.A, self.G)))

    @cached_property
    def calls(self) -> SlackCalls:
        """Kernels of steps, with these slopes."""
        equal, unequal = self._hard_rows
        sizes = self.gradient.size, self.c.size, self.g.size, unequal.groups.rows.size
        groups = unequal.groups.list_addresses(self._memory)
        return bind_slacks(self.addresses, equal.matrix.places.addresses, groups, sizes)

    @cached_property
    def _memory(self) -> Float[np.ndarray, " l"]:
        """Memory of products with slopes of inequalities."""
        return self._assembly.inequalities.groups.new_memory()

    def write_squares(self, ratios: Float[np.ndarray, " k"]) -> None:
        """Write the entries of G'WG, with such weights."""
        first = self.values.itemsize * self.places.squares.start
        self.calls.square_groups(address_of(self.values) + first, address_of(ratios))

    def write_curvature(self, multipliers: Sequence[np.ndarray] | None) -> None:
        """Write the curvature of hard factors where they were evaluated last, zero without multipliers of scaled rows.

        Multipliers are those of equalities, and of inequalities.
        """
        if multipliers is None:
            self.values[self.places.entries.stop : self.places.squares.start] = 0.0
            return
        weights, call = self._curvature
        for own, y, scale in zip(weights, multipliers, (self.scales.equal, self.scales.unequal), strict=True):
            if own.size:
                _scale(y, scale, own)
        call()
        for rows, place in zip(self._hard_rows, self.places.bends, strict=True):
            if (products := unit_products(rows.bends, self.scales.units)) is not None:
                self.values[place] *= products

    @cached_property
    def _curvature(self) -> tuple[list[np.ndarray], BoundCalls]:
        """Multipliers of rows that bend, and what writes their curvature."""
        bent = zip(self._hard_rows, self.places.bends, strict=True)
        weights = [np.zeros(rows.count if place.start < place.stop else 0) for rows, place in bent]
        targets = zip(self._hard_rows, weights, self.places.bends, strict=True)
        calls = [call for rows, y, place in targets if y.size for call in rows.bind_curvature(y, self.values[place])]
        return weights, BoundCalls(calls, self.x, self._views)

    @property
    def _hard_rows(self) -> tuple[ConstraintRows, InequalityRows]:
        return self._assembly.equalities, self._assembly.inequalities

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
        self._scale_residuals(equal.residuals, unequal.residuals, (self.c, self.g))

    def measure(self, x: Float[np.ndarray, " s"]) -> tuple[float, Float[np.ndarray, " m"], Float[np.ndarray, " k"]]:
        """Return the cost, c and g at x, in arrays that the next call overwrites; the model stays."""
        residuals, found = self._residuals
        cost = residuals.evaluate(x) / self._assembly.cost_scale
        self._scale_residuals(residuals.equal, residuals.unequal, found)
        return cost, *found

    @cached_property
    def _residuals(self) -> tuple[BoundResiduals, tuple[Float[np.ndarray, " m"], Float[np.ndarray, " k"]]]:
        """Costs and residuals alone, and arrays of c and g."""
        return BoundResiduals(self._assembly), (np.empty_like(self.c), np.empty_like(self.g))

    def _scale_residuals(self, equal: np.ndarray, unequal: np.ndarray, to: tuple[np.ndarray, np.ndarray]) -> None:
        c, g = to
        _scale(equal, self.scales.equal, c)
        np.subtract(unequal, self.scales.relaxed, out=g)
        _scale(g, self.scales.unequal, g)

    def evaluate_entries(
        self, x: Float[np.ndarray, " s"], names: Iterable[str]
    ) -> list[tuple[slice, Float[np.ndarray, " e"]]]:
        """Return the entries of J'J at x of some soft factors and those in their batches, and where these stand."""
        self.x[:] = x
        scale, batches = self.scales.costs, {id(own): own for own in (self._entries[name] for name in names)}
        found = [(place, call()) for place, call in batches.values()]
        return [(place, own if scale is None else own * scale[place]) for place, own in found]


def unit_products(
    at: Assembly | CurvatureEntries, units: Float[np.ndarray, " n"] | None
) -> Float[np.ndarray, " e"] | None:
    """Return the product of the units of each second derivative, None where all are 1."""
    return None if units is None else units[at.rows] * units[at.columns]


def _bind_rows(
    rows: BoundRows, scaled: np.ndarray, scales: np.ndarray | None, slope_scales: np.ndarray | None
) -> RowNumbers:
    sizes = [scaled.size, rows.entries.size, scales is not None, slope_scales is not None]
    own, slopes = (np.zeros(0) if a is None else np.ascontiguousarray(a) for a in (scales, slope_scales))
    return RowNumbers(
        residuals=rows.residuals, scaled=scaled, slopes=rows.entries,
        scales=own, slope_scales=slopes, sizes=np.array(sizes, dtype=np.int64),
    )  # fmt: skip


def _bind_costs(assembly: Assembly, gradient: np.ndarray, entries: np.ndarray, scales: ModelScales) -> CostNumbers:
    costs, parts, targets = assembly.gradient_parts
    sizes = [costs.size, parts.size, gradient.size, entries.size, scales.units is not None]
    units, products = (np.zeros(0) if a is None else np.ascontiguousarray(a) for a in (scales.units, scales.costs))
    return CostNumbers(
        costs=costs, parts=parts, targets=targets, gradient=gradient, entries=entries,
        units=units, products=products, sizes=np.array(sizes, dtype=np.int64),
    )  # fmt: skip


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
