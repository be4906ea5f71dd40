"""The functions of a large window: kernels of its factors, one call for all steps, and a Bayes tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.factors import Factors, select_factors
from screwgraph.optimize.smoothers.initial_prior import move_prior
from screwgraph.optimize.smoothers.unrolled_engine import make_single_call
from screwgraph.optimize.smoothers.window import Window
from screwgraph.optimize.smoothers.window_tree import WindowTree


@dataclass(frozen=True, eq=False)
class BoundFactors:
    """All factors that are optimised, and those that go with the first step, with parameters."""

    whole: Assembly
    leaving: Assembly | None


@dataclass(frozen=True, eq=False)
class AssembledEngine:
    """Steps of a window by the assembly of its problem; see `Straight`."""

    window: Window

    def bind(self, parameters: Float[np.ndarray, " p"]) -> BoundFactors:
        """Return assemblies with these parameters."""
        whole, leaving = self._whole.bind(parameters), self._leaving
        return BoundFactors(whole, None if leaving is None else leaving.bind(parameters))

    def newton(
        self, x: np.ndarray, bound: BoundFactors, prior: list[np.ndarray], damping: np.ndarray
    ) -> tuple[Float[np.ndarray, " s"], float, float]:
        """Return the end of a Gauss-Newton step, the cost at its beginning, and its largest entry."""
        cost = self._gather_system(x, bound, prior)
        if not self._tree.eliminate(damping[0]):
            return x, cost, np.nan
        step = self._tree.solution()
        return self.window.problem.layout.retract(x, step), cost, float(np.abs(step).max())

    def advance(
        self, x: np.ndarray, bound: BoundFactors, prior: list[np.ndarray]
    ) -> tuple[Float[np.ndarray, " s"], list[np.ndarray], Float[np.ndarray, " f"]]:
        """Return values moved on by one step, the prior on what is then the first, and costs of what left."""
        moved = make_single_call(self.window.moving, x)
        if not prior:
            return moved, [], np.zeros(0)
        kept, costs = self._marginal(x, bound, prior[0])
        return moved, [kept], costs

    def spread(self, rows: Float[np.ndarray, "m n"]) -> Float[np.ndarray, "m m"]:
        """Return J P J', P the covariance of the last step as eliminated last; NaN where nothing was."""
        return self._tree.spread(rows)

    def copy(self) -> AssembledEngine:
        """Return one that shares no numbers with this one."""
        other = replace(self)
        other.__dict__.update({name: value for name, value in self.__dict__.items() if name != "_tree"})
        return other

    def covariances(
        self, x: np.ndarray, bound: BoundFactors, prior: list[np.ndarray]
    ) -> Float[np.ndarray, "k n n"] | None:
        """Return the joint covariance of each free step and what is shared, in turn; None where it is not determined.

        Directions are those of the families that have one unknown a step, then of the others.
        """
        self._gather_system(x, bound, prior)
        return self._tree.covariances() if self._tree.eliminate() else None

    def _gather_system(self, x: np.ndarray, bound: BoundFactors, prior: list[np.ndarray]) -> float:
        """Put J'J and J'r into the tree, and return the cost."""
        cost, gradient, entries = bound.whole.linearise(x)
        told = None
        if prior:
            information, vector, more = move_prior(self.window, self.window.problem.layout.views(x), prior[0])
            told, cost = (information, vector), cost + more
        self._tree.gather(entries, gradient, told)
        return cost

    def _marginal(
        self, x: np.ndarray, bound: BoundFactors, prior: np.ndarray
    ) -> tuple[Float[np.ndarray, " p"], Float[np.ndarray, " f"]]:
        """Return the prior that is left when the first step goes: a Schur complement, where the values are now.

        With it come the costs there of the factors that leave, in the order of the problem.
        """
        window, layout = self.window, self.window.problem.layout
        k, n = self._tree.own, 2 * self._tree.own + self._tree.shared
        H, g, costs = np.zeros((n, n)), np.zeros(n), np.zeros(len(window.problem.factors))
        if bound.leaving is not None:
            _, gradient, entries = bound.leaving.linearise(x)
            costs = np.bincount(self._leaving_groups, bound.leaving.factor_costs, len(costs))
            np.add.at(H.ravel(), self._marginal_places, entries)
            H += np.tril(H, -1).T
            g += gradient[self._marginal_rows]
        information, vector, _ = move_prior(window, layout.views(x), prior)
        own = self._tree.held_places
        held = np.r_[own, 2 * k : n]
        H[np.ix_(held, held)] += information
        g[held] += vector
        try:
            gain = np.linalg.solve(H[:k, :k], np.column_stack([H[:k, k:], g[:k]]))
        except np.linalg.LinAlgError:
            gain = np.full((k, n - k + 1), np.nan)
        tie, views = H[k:, :k], layout.views(x)
        information, vector = H[k:, k:] - tie @ gain[:, :-1], g[k:] - tie @ gain[:, -1]
        kept = np.r_[own, k : n - k]
        at = [views[name][i].ravel() for name, i in window.held_at(1)]
        return np.concatenate([information[np.ix_(kept, kept)].ravel(), vector[kept], *at]), costs

    @cached_property
    def _whole(self) -> _Indexed:
        """All factors, but for those of a first step that is held fast."""
        factors = self._number_parameters()
        return _index_parameters(self.window, _later(factors) if self.window.pinned else factors)

    @cached_property
    def _leaving(self) -> _Indexed | None:
        """The factors that go with the first step, of a window that marginalises it."""
        places = {} if self.window.pinned else self.window.leaving
        found = [select_factors(f, places[f.name]) for f in self._number_parameters() if len(places.get(f.name, ()))]
        return _index_parameters(self.window, found) if found else None

    @cached_property
    def _leaving_groups(self) -> Int[np.ndarray, " l"]:
        """Of each factor that leaves, its place among the groups of the problem."""
        assert self._leaving is not None
        places = {f.name: i for i, f in enumerate(self.window.problem.factors)}
        members = [member for batch in self._leaving.assembly.soft for member in batch.members]
        return np.repeat([places[name] for name, _ in members], [count for _, count in members])

    def _number_parameters(self) -> list[Factors]:
        """Return factors whose parameters are the numbers of their places in the vector of all parameters."""
        factors, start = {f.name: f for f in self.window.problem.factors}, 0
        for group, name, own, inputs in self.window.expressions.parameters:
            f = factors[group]
            shape = (f.each if own else f.shared)[name].shape
            end = start + sum(np.size(x) for x in inputs)
            which = "each" if own else "shared"
            value = np.arange(start, end, dtype=float).reshape(shape)
            factors[group] = replace(f, **{which: {**getattr(f, which), name: value}})
            start = end
        return list(factors.values())

    @cached_property
    def _tree(self) -> WindowTree:
        return WindowTree(self.window, self._whole.assembly.rows, self._whole.assembly.columns)

    @cached_property
    def _marginal_rows(self) -> Int[np.ndarray, " n"]:
        """Directions of the first step, of the second, and of what is shared."""
        layout, found = self.window.problem.layout, list[np.ndarray]()
        dims = {v.name: v.manifold.dim for v in layout.families}
        for name, i in [*self.window.of_step(0), *self.window.of_step(1), *self.window.shared]:
            start = layout.directions[name].start + i * dims[name]
            found.append(np.arange(start, start + dims[name]))
        return np.concatenate(found)

    @cached_property
    def _marginal_places(self) -> Int[np.ndarray, " e"]:
        """Places of entries of factors that touch the first step, in the lower triangle of these."""
        assert self._leaving is not None
        local = np.zeros(self.window.problem.layout.size, dtype=np.intp)
        local[self._marginal_rows] = np.arange(len(self._marginal_rows))
        i, j = (local[x] for x in (self._leaving.assembly.rows, self._leaving.assembly.columns))
        return np.maximum(i, j) * len(self._marginal_rows) + np.minimum(i, j)


@dataclass(frozen=True, eq=False)
class _Indexed:
    """An assembly, and which of all parameters each batch takes."""

    assembly: Assembly
    places: list[list[np.ndarray]]

    def bind(self, parameters: np.ndarray) -> Assembly:
        """Return the assembly with values of the parameters."""
        return self.assembly.with_parameters([[parameters[p] for p in batch] for batch in self.places])


def _index_parameters(window: Window, factors: Iterable[Factors]) -> _Indexed:
    assembly = Assembly(window.problem.layout, list(factors))
    return _Indexed(assembly, [[p.astype(np.intp) for p in b.parameters] for b in assembly.batches])


def _later(factors: Iterable[Factors]) -> list[Factors]:
    """Return the factors that are on other steps than the first, or on what is shared."""
    found = []
    for f in factors:
        touched = [(a.indices > 0) if a.variables.count > 1 else np.ones(1, dtype=bool) for a in f.arguments]
        chosen = np.flatnonzero(np.broadcast_to(np.any(np.broadcast_arrays(*touched), axis=0), len(f)))
        if len(chosen):
            found.append(select_factors(f, chosen))
    return found
