"""The functions of a large window: kernels of its factors, one call for all steps, and linear algebra in loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.factors import Factors, picked
from screwgraph.optimize.linear import Pattern, SingularError, System, analyse
from screwgraph.optimize.smoothers.first_prior import told_prior
from screwgraph.optimize.smoothers.straight import called
from screwgraph.optimize.smoothers.window import Window


@dataclass(frozen=True, eq=False)
class Assembled:
    """Steps of a window by the assembly of its problem; see `Straight`."""

    window: Window

    def bound(self, parameters: Float[np.ndarray, " p"]) -> Assembly:
        """Return an assembly with these parameters."""
        factors, start = {f.name: f for f in self.window.problem.factors}, 0
        for group, name, own, inputs in self.window.expressions.parameters:
            f = factors[group]
            shape = (f.each if own else f.shared)[name].shape
            end = start + sum(np.size(x) for x in inputs)
            value = parameters[start:end].reshape(shape).copy()
            which = "each" if own else "shared"
            factors[group] = replace(f, **{which: {**getattr(f, which), name: value}})
            start = end
        return self._assembly.with_factors(self._optimised(factors.values()))

    def newton(
        self, x: np.ndarray, bound: Assembly, prior: list[np.ndarray], damping: np.ndarray
    ) -> tuple[Float[np.ndarray, " s"], float, float]:
        """Return the end of a Gauss-Newton step, the cost at its beginning, and its largest entry."""
        cost, gradient, entries = bound.linearised(x)
        values, gradient = entries[self._kept], gradient[self._free]
        if prior:
            layout = self.window.problem.layout
            information, vector, more = told_prior(self.window, layout.views(x), prior[0])
            values = np.concatenate([values, information[self._lower]])
            gradient[self._held] += vector
            cost += more
        added = damping[0] * self._diagonal(values) if damping[0] else 0.0
        try:
            step = self._system.factor(values, added).solve(-gradient)
        except SingularError:
            return x, cost, np.nan
        whole = np.zeros(self.window.problem.layout.size)
        whole[self._free] = step
        return self.window.problem.layout.moved(x, whole), cost, float(np.abs(step).max())

    def advance(
        self, x: np.ndarray, bound: Assembly, prior: list[np.ndarray]
    ) -> tuple[Float[np.ndarray, " s"], list[np.ndarray]]:
        """Return values moved on by one step, and the prior on what is then the first."""
        moved = called(self.window.moving, x)
        return moved, [self._marginal(x, bound, prior[0])] if prior else []

    def _marginal(self, x: np.ndarray, bound: Assembly, prior: np.ndarray) -> Float[np.ndarray, " p"]:
        """Return the prior that is left when the first step goes: a Schur complement, where the values are now."""
        window, layout = self.window, self.window.problem.layout
        bound.linearised(x)
        H, g = bound.dense(self._leaving)
        information, vector, _ = told_prior(window, layout.views(x), prior)
        held = np.flatnonzero(self._free)[self._held]
        H[np.ix_(held, held)] += information
        g[held] += vector
        going, staying = (self._directions(keys) for keys in (window.of_step(0), [*window.of_step(1), *window.shared]))
        try:
            gain = np.linalg.solve(H[np.ix_(going, going)], np.column_stack([H[np.ix_(going, staying)], g[going]]))
        except np.linalg.LinAlgError:
            gain = np.full((len(going), len(staying) + 1), np.nan)
        tie, views = H[np.ix_(staying, going)], layout.views(x)
        information = H[np.ix_(staying, staying)] - tie @ gain[:, :-1]
        vector = g[staying] - tie @ gain[:, -1]
        at = [views[name][i].ravel() for name, i in [*window.of_step(1), *window.shared]]
        return np.concatenate([information.ravel(), vector, *at])

    @cached_property
    def _assembly(self) -> Assembly:
        return Assembly(self.window.problem.layout, self._optimised(self.window.problem.factors))

    def _optimised(self, factors: Iterable[Factors]) -> list[Factors]:
        """Return factors without those of a first step that is held fast."""
        if not self.window.pinned:
            return list(factors)
        found = []
        for f in factors:
            touched = [a.indices > 0 if a.variables.count > 1 else np.ones(1, dtype=bool) for a in f.arguments]
            chosen = np.flatnonzero(np.broadcast_to(np.any(np.broadcast_arrays(*touched), axis=0), len(f)))
            if len(chosen):
                found.append(picked(f, chosen))
        return found

    @cached_property
    def _free(self) -> Bool[np.ndarray, " n"]:
        """Which directions are optimised."""
        free = np.ones(self.window.problem.layout.size, dtype=bool)
        if self.window.pinned:
            free[self._directions(self.window.of_step(0))] = False
        return free

    @cached_property
    def _kept(self) -> Int[np.ndarray, " e"]:
        """Entries of J'J among them."""
        return np.flatnonzero(self._free[self._assembly.rows] & self._free[self._assembly.columns])

    @cached_property
    def _held(self) -> Int[np.ndarray, " h"]:
        """Places, among what is optimised, of what the prior is about."""
        return (np.cumsum(self._free) - 1)[self._directions(self.window.held)]

    @cached_property
    def _lower(self) -> tuple[Int[np.ndarray, " h"], Int[np.ndarray, " h"]]:
        return np.tril_indices(self.window.held_size)

    @cached_property
    def _leaving(self) -> tuple[np.ndarray, np.ndarray]:
        """What factors that touch the first step add to J'J and J'r."""
        first = np.zeros(self.window.problem.layout.size, dtype=bool)
        first[self._directions(self.window.of_step(0))] = True
        return self._assembly.touching(first)

    @cached_property
    def _system(self) -> System:
        assembly, layout, number = self._assembly, self.window.problem.layout, np.cumsum(self._free) - 1
        rows, columns = number[assembly.rows[self._kept]], number[assembly.columns[self._kept]]
        i, j = (self._held[side] for side in self._lower)
        rows = np.concatenate([rows, np.maximum(i, j)])
        columns = np.concatenate([columns, np.minimum(i, j)])
        blocks = self._free[np.cumsum(layout.sizes) - layout.sizes]
        steps = layout.steps
        if steps is not None:
            steps = np.where(steps > 0, steps - self.window.pinned, steps)[blocks]
        return analyse(Pattern(layout.sizes[blocks], rows, columns, steps=steps))

    def _diagonal(self, values: np.ndarray) -> Float[np.ndarray, " f"]:
        pattern = self._system.pattern
        on = pattern.rows == pattern.cols
        return np.bincount(pattern.rows[on], values[on], minlength=pattern.count)

    def _directions(self, keys: list[tuple[str, int]]) -> Int[np.ndarray, " d"]:
        """Return the directions of unknowns, one after the other."""
        layout, found = self.window.problem.layout, [np.zeros(0, dtype=np.intp)]
        dims = {v.name: v.manifold.dim for v in layout.families}
        for name, i in keys:
            start = layout.directions[name].start + i * dims[name]
            found.append(np.arange(start, start + dims[name]))
        return np.concatenate(found)
