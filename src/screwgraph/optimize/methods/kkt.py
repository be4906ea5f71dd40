"""Newton's equations of problems with hard factors: [[H, A'], [A, 0]], inequalities condensed into H."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.linear import Factored, SingularError, System
from screwgraph.optimize.methods.base import max_magnitude
from screwgraph.optimize.methods.local_model import BoundModel, LocalModel, ModelScales
from screwgraph.optimize.methods.row_scales import SCALES, RowScales, compute_row_scales, direction_units

HUGE = 1e3
"""Size of multipliers, relative to the gradient, beyond which equalities depend on each other."""


@dataclass(frozen=True, eq=False)
class KktSystem:
    """The equations' pattern, and how they are filled; `curved`: with places for the curvature of hard factors.

    Residuals of inequalities may be as large as `relaxed`: where equalities say that one is zero, slacks stay positive.
    Rows, and multipliers with them, are scaled by `scales`; directions count in the `units` (n,) of their families.
    """

    assembly: Assembly
    curved: bool = True
    relaxed: float = 0.0
    scales: RowScales | None = None
    units: Float[np.ndarray, " n"] | None = None

    def with_row_scales(self, x: Float[np.ndarray, " s"], memory: Mapping[str, Any]) -> KktSystem:
        """Return the equations in units, with rows scaled by their slopes at x, or as they were in a search before."""
        known, units = memory.get(SCALES), direction_units(self.assembly)
        if SCALES in memory and (known is None or known.fits(self.assembly)):
            return replace(self, scales=known, units=units)
        bound = self._find_bound()[-1]
        bound.evaluate_factors(x)
        other = replace(self, scales=compute_row_scales(self.assembly, bound.A, bound.G, units), units=units)
        vars(other)["_bound"] = other._take_over(self._bound.copy())
        self._bound.clear()
        other._known_points.append(x)
        return other

    @cached_property
    def model_scales(self) -> ModelScales:
        """Factors of residuals and slopes."""
        return ModelScales.from_assembly(self.assembly, self.scales, self.units, self.relaxed)

    @cached_property
    def _bound(self) -> list[BoundModel]:
        """Problems as functions of values, two at most: one for where a search is, one for where it looks.

        Those of a search before are taken over, and left to the next one.
        """
        try:
            return self._take_over(self._spare.pop())
        except IndexError:
            return self._take_over([])

    @property
    def _spare(self) -> list[list[BoundModel]]:
        """Bound models that ended searches leave."""
        return self.assembly.spare_models.setdefault(self.curved, [])

    def _take_over(self, models: list[BoundModel]) -> list[BoundModel]:
        """Return models with the scales of these equations, which leave them when they end."""
        for bound in models:
            bound.adopt(self.assembly, self.model_scales)
        weakref.finalize(self, _leave_models, models, self._spare).atexit = False
        return models

    @cached_property
    def _known_points(self) -> list[Float[np.ndarray, " s"]]:
        """Where factors were evaluated for scales of rows, until the first model is asked for: mostly there."""
        return []

    @cached_property
    def _no_shift(self) -> Float[np.ndarray, " n"]:
        return np.zeros(self.system.pattern.count)

    def bind(self) -> BoundModel:
        """Return the problem as a function of values, whose results are written to the same arrays at every call."""
        return BoundModel(self.assembly, self.model_scales, self.curved)

    def model(self, x: Float[np.ndarray, " s"], beside: LocalModel | None = None) -> LocalModel:
        """Evaluate everything at x, into arrays that later calls use again, unless their model stands `beside`."""
        known = self._known_points.pop() if self._known_points else None
        every = self._find_bound()
        free = [b for b in every if beside is None or b.gradient is not beside.gradient]
        if not free:
            every.append(every[0].make_twin())
        bound = (free or every)[-1]
        return bound.scale_model() if known is x else bound.evaluate(x)

    def retract(self, x: Float[np.ndarray, " s"], step: Float[np.ndarray, " n"]) -> Float[np.ndarray, " s"]:
        """Return values after a step."""
        return self.assembly.layout.retract(x, step if self.units is None else step * self.units)

    def measure(self, x: Float[np.ndarray, " s"]) -> tuple[float, Float[np.ndarray, " m"], Float[np.ndarray, " k"]]:
        """Return the cost, c and g at x, in arrays that the next call overwrites; models stay."""
        return self._find_bound()[0].measure(x)

    def _find_bound(self) -> list[BoundModel]:
        """Return the problems as functions of values, one at least."""
        if not self._bound:
            self._bound.append(self.bind())
        return self._bound

    @property
    def system(self) -> System:
        """The linear algebra: soft factors, curvature, condensed inequalities, then the equalities' slopes."""
        return self.assembly.hard if self.curved else self.assembly.hard_straight

    def factor(
        self,
        model: LocalModel,
        multipliers: tuple[Float[np.ndarray, " m"], Float[np.ndarray, " k"]] | None,
        ratios: Float[np.ndarray, " k"],
        shift: float,
        slack: float,
        *,
        firm: bool = False,
    ) -> Factored:
        """Factor the equations; their values stand with the model, until `Factored.detach`.

        Args:
            model: the problem where the unknowns are.
            multipliers: of equalities and inequalities, whose curvature is added (`curved`); None leaves it out.
            ratios: of multipliers to slacks of inequalities.
            shift: added to the diagonal of H.
            slack: subtracted from the diagonal of multipliers.
            firm: whether signs of pivots count more than how fast solutions are refined.

        Raises:
            SingularError: the matrix is singular.
        """
        bound = model.bound
        if self.curved:
            bound.write_curvature(multipliers)
        bound.write_squares(ratios)
        system = self.system.firm if firm else self.system
        diagonal = self._no_shift
        if shift or slack:
            diagonal = np.empty_like(diagonal)
            diagonal[: system.pattern.primal], diagonal[system.pattern.primal :] = shift, -slack
        return system.factor(bound.values, diagonal)

    def factor_again(
        self,
        factored: Factored,
        G: Float[np.ndarray, " b"],
        changed: Bool[np.ndarray, " k"],
        ratios: Float[np.ndarray, " k"],
    ) -> Factored:
        """Factor the equations with other ratios of some inequalities, with these' slopes, all else as it was.

        The last matrix ends. Raises SingularError as `factor`.
        """
        groups = self.assembly.inequalities.groups
        touched = groups.find_touched(np.flatnonzero(changed))
        first = factored.exact.values.size - self.assembly.equalities.rows.size - groups.rows.size
        return factored.factor_again(first + touched, groups.evaluate_squares(G, ratios)[touched], overwrite=True)

    def factor_with_costs(
        self, factored: Factored, entries: Sequence[tuple[slice, Float[np.ndarray, " e"]]]
    ) -> Factored:
        """Factor the equations with other entries of J'J of soft factors in some places, all else as it was.

        The last matrix ends. Raises SingularError as `factor`.
        """
        places, values = [], []
        for where, own in entries:
            others = np.flatnonzero(factored.exact.values[where] != own)
            places.append(where.start + others)
            values.append(own[others])
        return factored.factor_again(np.concatenate(places), np.concatenate(values), overwrite=True)

    def least_squares_multipliers(self, model: LocalModel, z: Float[np.ndarray, " k"]) -> Float[np.ndarray, " m"]:
        """Return multipliers y of equalities that make the Lagrangian's gradient least; zero where they are huge."""
        n, equal = self.assembly.layout.size, self.assembly.equalities
        left = model.gradient + self.assembly.inequalities.groups.multiply_transposed(model.G, z)
        try:
            factored = self.factor_slopes(model.A)
        except SingularError:
            return np.zeros(equal.count)
        y = factored.solve(np.concatenate([-left, np.zeros(equal.count)]))[n:]
        return y if max_magnitude(y) <= HUGE * max(1.0, max_magnitude(left)) else np.zeros(equal.count)

    def factor_slopes(self, A: Float[np.ndarray, " a"]) -> Factored:
        """Factor [[1, A'], [A, 0]]: for the shortest steps that take residuals away. Raises SingularError."""
        none = np.zeros(self.system.pattern.rows.size - A.size)
        diagonal = np.concatenate([np.ones(self.assembly.layout.size), np.zeros(self.assembly.equalities.count)])
        return self.system.factor(np.concatenate([none, A]), diagonal)

    def linearise_equalities(
        self, x: Float[np.ndarray, " s"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " a"], float]:
        """Return c and A at x, and the largest residual without scales."""
        equal = self.assembly.equalities
        c, A = equal.linearise(self.assembly.layout.views(x))
        left = max_magnitude(c)
        if self.scales is not None:
            c, A = self.scales.equal * c, A * self.scales.equal[equal.rows]
        return c, A if self.units is None else A * self.units[equal.columns], left


def _leave_models(models: list[BoundModel], spare: list[list[BoundModel]]) -> None:
    """Leave what a search has bound to the next one."""
    if models:
        spare.append(models.copy())
        models.clear()
