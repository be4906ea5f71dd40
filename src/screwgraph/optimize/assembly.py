"""All factors of a problem at once: costs, and the normal equations' entries in one buffer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.batch import Batch, make_batches, merge_factors
from screwgraph.optimize.constraint_rows import ConstraintRows, CurvatureEntries, InequalityRows, join_places
from screwgraph.optimize.factors import Factors
from screwgraph.optimize.kernel_calls import KernelCall
from screwgraph.optimize.linear import LIGHT, Gram, Pattern, System, analyse, make_gram
from screwgraph.optimize.value_layout import ValueLayout


@dataclass(frozen=True, eq=False)
class SoftTarget:
    """Target of a batch of soft factors: stretches of three buffers, and the pattern of one factor.

    `gram` makes J'J and J'r of factors whose kernels leave it to that.
    """

    entries: slice
    gradient: slice
    costs: slice
    count: int
    pattern: tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]
    gram: Gram | None


@dataclass(frozen=True, eq=False)
class SoftCall:
    """A call that linearises a batch of soft factors, and its entries of J'J.

    `gram` makes these, and the gradient, of Jacobians and residuals that the call writes, where it does not write them.
    """

    call: KernelCall
    entries: Float[np.ndarray, " e"]
    gradient: Float[np.ndarray, "N n"]
    gram: Gram | None = None

    def multiply(self) -> None:
        """Make entries of what the call has written."""
        if self.gram is not None:
            r, J, _ = self.call.results
            self.gram(J, r, self.entries.reshape(len(r), -1), self.gradient)

    def finish(self, cost_scale: float) -> None:
        """Complete the entries after the call; divide them by a scale."""
        self.multiply()
        if cost_scale != 1.0:
            self.entries[...] /= cost_scale


class Assembly:
    """Evaluates a problem at vectors of values; its buffers are used again at every call.

    Costs, their gradients and entries are those of soft factors divided by `cost_scale`. `units` are numbers that count
    as 1, by family, for methods that can scale unknowns. `spare_models` are what methods have bound to its parameters,
    and use again.
    """

    cost_scale: float = 1.0
    units: Mapping[str, float] = MappingProxyType({})

    def __init__(self, layout: ValueLayout, factors: Sequence[Factors]) -> None:
        self.layout = layout
        self._systems: dict[str, System] = {}  # of all assemblies made of this one
        self.spare_models: dict[bool, list[Any]] = {}
        self.batches = make_batches(factors)
        self._index()

    def with_factors(self, factors: Sequence[Factors]) -> Assembly:
        """Return the assembly of the same factors with other parameters."""
        named = {f.name: f for f in factors}
        return self._with_batches(
            [merge_factors([named[name] for name, _ in b.members]).with_sources(b) for b in self.batches]
        )

    def with_parameters(self, parameters: Sequence[list[np.ndarray]]) -> Assembly:
        """Return the assembly of the same factors, with parameters by batch as kernels take them."""
        pairs = zip(self.batches, parameters, strict=True)
        return self._with_batches([b.with_parameters(own) for b, own in pairs])

    def with_own_parameters(self) -> Assembly:
        """Return the assembly with copies of its parameters, and buffers of its own."""
        return self.with_parameters([[p.copy() for p in b.parameters] for b in self.batches]).with_own_buffers()

    def with_own_buffers(self) -> Assembly:
        """Return the assembly with buffers of its own, so that two threads can use both at once."""
        other = object.__new__(Assembly)
        other.__dict__.update(self.__dict__)
        buffers = (self._entries, self._gradient, self._costs)
        other._entries, other._gradient, other._costs = (b.copy() for b in buffers)
        return other

    def _with_batches(self, batches: Sequence[Batch]) -> Assembly:
        """Return the assembly of the same factors as other batches."""
        other = object.__new__(Assembly)
        other.__dict__.update(self.__dict__)
        other.batches, other.spare_models = list(batches), {}
        other.soft = [b for b in batches if b.factors.kind == "soft"]
        other.equalities = self.equalities.with_batches([b for b in batches if b.factors.kind == "equality"])
        other.inequalities = self.inequalities.with_batches([b for b in batches if b.factors.kind == "inequality"])
        return other

    def with_scales(self, cost_scale: float, units: Mapping[str, float]) -> Assembly:
        """Return the assembly of the same factors with another scale of costs and other units."""
        other = object.__new__(Assembly)
        other.__dict__.update(self.__dict__, cost_scale=cost_scale, units=units)
        return other

    def _index(self) -> None:
        """Lay out the buffers of soft factors."""
        kinds = {
            kind: [b for b in self.batches if b.factors.kind == kind] for kind in ("soft", "equality", "inequality")
        }
        self.soft = kinds["soft"]
        self.equalities = ConstraintRows(self.layout, kinds["equality"])
        self.inequalities = InequalityRows(self.layout, kinds["inequality"])
        rows, columns, targets, places = [], [], [], []
        first = first_gradient = first_cost = 0
        for batch in self.soft:
            kernels, directions = batch.factors.kernels, batch.directions(self.layout)
            i, j = (directions[:, side] for side in kernels.pattern)
            rows.append(np.maximum(i, j).ravel())
            columns.append(np.minimum(i, j).ravel())
            targets.append(directions.ravel())
            entries = slice(first, first := first + i.size)
            gradient = slice(first_gradient, first_gradient := first_gradient + directions.size)
            costs = slice(first_cost, first_cost := first_cost + len(batch))
            products = None if kernels.is_unrolled else make_gram(kernels.rows, kernels.size, *kernels.pattern)
            places.append(SoftTarget(entries, gradient, costs, len(batch), kernels.pattern, products))
        self._places = places
        self.rows, self.columns = join_places(rows), join_places(columns)
        self._targets = join_places(targets)
        self._entries, self._gradient, self._costs = np.zeros(first), np.zeros(first_gradient), np.zeros(first_cost)
        self._on_diagonal = np.flatnonzero(self.rows == self.columns)
        self._diagonal_targets = self.rows[self._on_diagonal]

    def cost(self, x: Float[np.ndarray, " s"]) -> float:
        """Return the cost of all soft factors."""
        views = self.layout.views(x)
        return float(sum(b.factors.kernels.cost(*b.inputs(views)).sum() for b in self.soft)) / self.cost_scale

    def linearise(
        self, x: Float[np.ndarray, " s"], views: dict[str, np.ndarray] | None = None
    ) -> tuple[float, Float[np.ndarray, " n"], Float[np.ndarray, " e"]]:
        """Return the cost, its gradient, and the entries of J'J at `rows` and `columns`; these stand in a buffer.

        `views` are the families' arrays inside of x, where somebody has them already.
        """
        views = self.layout.views(x) if views is None else views
        calls = self.bind()
        for soft in calls:
            soft.call.evaluate(views)
        return self.finish(calls)

    def bind(self, entries: Float[np.ndarray, " e"] | None = None) -> list[SoftCall]:
        """Return the calls that linearise soft factors, after which `finish` has the result.

        Entries of J'J are written to an array where one is given, else to the buffer.
        """
        to = self._entries if entries is None else entries
        return [self._bind_batch(batch, place, to) for batch, place in zip(self.soft, self._places, strict=True)]

    def move_calls(self, calls: Sequence[SoftCall], entries: Float[np.ndarray, " e"]) -> list[SoftCall]:
        """Return the same calls with entries of J'J in another array."""
        pairs = zip(calls, self._places, strict=True)
        return [replace(soft, entries=entries[place.entries]) for soft, place in pairs]

    def finish(self, calls: Sequence[SoftCall]) -> tuple[float, Float[np.ndarray, " n"], Float[np.ndarray, " e"]]:
        """Return what `linearise` does, all calls being evaluated."""
        for soft in calls:
            soft.finish(self.cost_scale)
        return *self._sum_costs(), self._entries

    def bind_entries(
        self, views: dict[str, np.ndarray]
    ) -> dict[str, tuple[slice, Callable[[], Float[np.ndarray, " e"]]]]:
        """Return by name of soft factors where the entries of J'J of their batch stand, and what evaluates these."""
        found = {}
        for batch, place in zip(self.soft, self._places, strict=True):
            both = place.entries, partial(self._evaluate_entries, self._bind_batch(batch, place, self._entries), views)
            found |= {name: both for name, _ in batch.members}
        return found

    def _evaluate_entries(self, soft: SoftCall, views: dict[str, np.ndarray]) -> Float[np.ndarray, " e"]:
        soft.call.evaluate(views)
        soft.finish(self.cost_scale)
        return soft.entries

    def _bind_batch(self, batch: Batch, place: SoftTarget, entries: Float[np.ndarray, " e"]) -> SoftCall:
        """Return what linearises a batch; its entries of J'J go to their places in an array."""
        kernels, n = batch.factors.kernels, place.count
        own, costs = entries[place.entries], self._costs[place.costs, None]
        gradient = self._gradient[place.gradient].reshape(n, kernels.size)
        if place.gram is None:
            return SoftCall(KernelCall(kernels.normal, batch, (own.reshape(n, -1), gradient, costs)), own, gradient)
        white = (np.empty((n, kernels.rows)), np.empty((n, kernels.rows, kernels.size)), costs)
        return SoftCall(KernelCall(kernels.whitened_jacobian, batch, white), own, gradient, place.gram)

    def bind_slopes(self, views: dict[str, np.ndarray]) -> Callable[[], tuple[float, Float[np.ndarray, " n"]]]:
        """Return the cost and its gradient as a function of values that change in their places; no entries of J'J."""
        calls = []
        for batch, place in zip(self.soft, self._places, strict=True):
            kernels = batch.factors.kernels
            gradient = self._gradient[place.gradient].reshape(place.count, kernels.size)
            calls.append((kernels.slope, batch.bind(views), (gradient, self._costs[place.costs, None])))
        return partial(self._evaluate_slopes, tuple(calls))

    def _evaluate_slopes(self, calls: Sequence[Any]) -> tuple[float, Float[np.ndarray, " n"]]:
        for kernel, inputs, out in calls:
            kernel(*inputs(), out=out)
        return self._sum_costs()

    def _sum_costs(self) -> tuple[float, Float[np.ndarray, " n"]]:
        """Return the cost and its gradient, those of factors being evaluated."""
        gradient = np.bincount(self._targets, self._gradient, minlength=self.layout.size)
        cost = float(self._costs.sum())
        return (cost, gradient) if self.cost_scale == 1.0 else (cost / self.cost_scale, gradient / self.cost_scale)

    @property
    def gradient_parts(self) -> tuple[Float[np.ndarray, " f"], Float[np.ndarray, " p"], Int[np.ndarray, " p"]]:
        """Buffers of costs and of parts of their gradients, and the direction of each part."""
        return self._costs, self._gradient, np.ascontiguousarray(self._targets, dtype=np.int64)

    @property
    def factor_costs(self) -> Float[np.ndarray, " f"]:
        """The cost of each soft factor where it was linearised last, batch by batch; they stand in a buffer."""
        return self._costs

    def diagonal(self, entries: Float[np.ndarray, " e"]) -> Float[np.ndarray, " n"]:
        """Return the diagonal of J'J."""
        return np.bincount(self._diagonal_targets, entries[self._on_diagonal], minlength=self.layout.size)

    def product(self, entries: Float[np.ndarray, " e"], v: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Return J'J v."""
        n = self.layout.size
        both = np.bincount(self.rows, entries * v[self.columns], n) + np.bincount(
            self.columns, entries * v[self.rows], n
        )
        return both - self.diagonal(entries) * v

    def prepare(self) -> None:
        """Look at J'J now: assemblies made of this one by `with_factors` then need not."""
        _ = self.normal

    @property
    def normal(self) -> System:
        """The linear algebra of J'J."""
        return self._get_or_make_system("normal", self._normal)

    @property
    def kkt(self) -> System:
        """The linear algebra of [[J'J, A'], [A, 0]], A the Jacobian of hard equalities."""
        return self._get_or_make_system("kkt", self._kkt)

    @property
    def hard(self) -> System:
        """The linear algebra of interior-point methods: soft factors, curvature, inequalities condensed, equalities."""
        return self._get_or_make_system("hard", lambda: self._hard((self.equalities.bends, self.inequalities.bends)))

    @property
    def hard_straight(self) -> System:
        """The same without places for curvature."""
        return self._get_or_make_system("hard_straight", lambda: self._hard(()))

    def _get_or_make_system(self, name: str, make: Callable[[], System]) -> System:
        if name not in self._systems:
            self._systems[name] = make()
        return self._systems[name]

    def _normal(self) -> System:
        return analyse(Pattern(self.layout.sizes, self.rows, self.columns, steps=self.layout.steps))

    def _kkt(self) -> System:
        equalities = self.equalities
        rows = np.concatenate([self.rows, self.layout.size + equalities.rows])
        columns = np.concatenate([self.columns, equalities.columns])
        blocks = equalities.blocks
        return analyse(Pattern(np.concatenate([self.layout.sizes, blocks]), rows, columns, len(blocks)))

    def _hard(self, bends: Sequence[CurvatureEntries]) -> System:
        equal, unequal, n = self.equalities, self.inequalities, self.layout.size
        rows = (self.rows, *(b.rows for b in bends), unequal.groups.rows, n + equal.rows)
        columns = (self.columns, *(b.columns for b in bends), unequal.groups.columns, equal.columns)
        sizes = np.concatenate([self.layout.sizes, equal.blocks])
        return analyse(
            Pattern(sizes, np.concatenate(rows), np.concatenate(columns), len(equal.blocks)), multipliers=LIGHT
        )

    def residuals(self, x: Float[np.ndarray, " s"]) -> dict[str, Float[np.ndarray, "N m"]]:
        """Return residuals by name of factors, as their templates return them."""
        views, found = self.layout.views(x), {}
        for batch in self.batches:
            kernels = batch.factors.kernels
            r = np.broadcast_to(kernels.residual(*batch.inputs(views)), (len(batch), kernels.rows))
            start = 0
            for name, count in batch.members:
                found[name] = r[start : start + count].copy()
                start += count
        return found

    def costs(self, x: Float[np.ndarray, " s"]) -> dict[str, float]:
        """Return the cost of soft factors by name, whatever the scale."""
        views, found = self.layout.views(x), {}
        for batch in self.soft:
            costs = np.broadcast_to(batch.factors.kernels.cost(*batch.inputs(views)), (len(batch), 1))
            start = 0
            for name, count in batch.members:
                found[name] = float(costs[start : start + count].sum())
                start += count
        return found

    def broken(self, x: Float[np.ndarray, " s"]) -> dict[str, Float[np.ndarray, " N"]]:
        """Return by how much each hard factor does not hold, by name."""
        residuals, found = self.residuals(x), {}
        for batch in self.batches:
            if batch.factors.kind != "soft":
                size = np.abs if batch.factors.kind == "equality" else partial(np.maximum, 0.0)
                found |= {name: size(residuals[name]).max(axis=1) for name, _ in batch.members}
        return found

    @cached_property
    def untouched_directions(self) -> Int[np.ndarray, " k"]:
        """Directions that no factor depends on."""
        touched = np.zeros(self.layout.size, dtype=bool)
        touched[self._targets] = True
        touched[self.rows] = True
        for rows in (self.equalities, self.inequalities):
            touched[rows.columns] = True
        return np.flatnonzero(~touched)
