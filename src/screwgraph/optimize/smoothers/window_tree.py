"""J'J and J'r of a window as a Bayes tree, eliminated step by step: solution and covariances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from screwgraph.optimize.fronts.bayes_tree import BayesTree
from screwgraph.optimize.linear import SingularError
from screwgraph.optimize.linear.chain import ScatterTargets, find_runs
from screwgraph.optimize.smoothers.window import Window


@dataclass(frozen=True, eq=False)
class WindowTree:
    """Bayes tree of a window whose entries of J'J stand at `rows` and `columns`, directions of its problem.

    Its unknowns are the free steps, then, if anything is shared, that. Entries that concern a first step that is held
    fast are left out.
    """

    window: Window
    rows: Int[np.ndarray, " e"]
    columns: Int[np.ndarray, " e"]

    def gather(self, entries: np.ndarray, gradient: np.ndarray, prior: tuple[np.ndarray, np.ndarray] | None) -> None:
        """Begin with values of J'J and J'r, and with the information and the vector of a prior."""
        (entries_at, gradient_at), fronts = self._places, self._tree.clear()
        entries_at.add(fronts, entries)
        gradient_at.add(fronts, gradient)
        if prior is not None:
            held, vector = self._prior_places
            fronts[held] += prior[0][self._lower]
            fronts[vector] += prior[1]

    def eliminate(self, damping: float = 0.0) -> bool:
        """Factor what was gathered, its diagonal multiplied by 1 + damping; return whether all pivots are positive."""
        if damping:
            self._tree.storage.tables.pool[self._diagonal] *= 1.0 + damping
        try:
            self._tree.factor()
        except SingularError:
            return False
        return True

    def solution(self) -> Float[np.ndarray, " n"]:
        """Return d of H d = -g in the directions of the problem, zero where they are held fast."""
        self._tree.solve(-1.0, np.inf)
        return np.where(self._is_fixed, 0.0, self._tree.delta[self._places_in_tree])

    def spread(self, rows: Float[np.ndarray, "m n"]) -> Float[np.ndarray, "m m"]:
        """Return J P J', P the covariance of the last step and what is shared, J by the first n directions of these.

        NaN where nothing was eliminated.
        """
        if not self._tree.is_eliminated:
            return np.full((len(rows), len(rows)), np.nan)
        n, last = rows.shape[1], range(self.count - 1, len(self._dims))
        return rows @ self._tree.storage.covariance(last)[:n, :n] @ rows.T

    def covariances(self) -> Float[np.ndarray, "steps n n"]:
        """Return the joint covariance of each free step and what is shared, from what was eliminated."""
        found = np.empty((self.count, self.own + self.shared, self.own + self.shared))
        for clique, joint in self._tree.storage.joint_covariances():
            for k in clique.own[clique.own < self.count]:
                chosen = np.isin(np.repeat(clique.members, self._dims[clique.members]), [k, self.count])
                found[k] = joint[np.ix_(chosen, chosen)]
        return found

    @cached_property
    def own(self) -> int:
        """Directions of a step."""
        return int(self.window.problem.layout.size - self.shared) // self.window.steps

    @cached_property
    def shared(self) -> int:
        """Directions of what is shared."""
        return sum(v.manifold.dim for v in self.window.problem.families if v.count == 1)

    @cached_property
    def held_places(self) -> Int[np.ndarray, " h"]:
        """Places, among the directions of a step, of those that a prior is about."""
        return np.array(self.window.places_in_step({name for name, _ in self.window.held_at(0)}), dtype=int)

    @property
    def count(self) -> int:
        """Steps that are free."""
        return self.window.steps - self.window.pinned

    @cached_property
    def _dims(self) -> Int[np.ndarray, " u"]:
        return np.array([self.own] * self.count + [self.shared] * (self.shared > 0))

    @cached_property
    def _tree(self) -> BayesTree:
        tree, steps = BayesTree(self._dims, order="numbers"), np.arange(self.count)
        shared = np.full((self.count, len(self._dims) - self.count), self.count)
        tree.add(np.column_stack([steps, shared]), 0, 0)
        tree.add(np.column_stack([steps[:-1], steps[1:], shared[1:]]), 0, 0)
        tree.prepare()
        return tree

    @cached_property
    def _steps(self) -> Int[np.ndarray, " n"]:
        """Step of each direction, counted from the first free one; behind the last one where it is shared."""
        families = self.window.problem.layout.families
        steps = [np.arange(v.count) - self.window.pinned if v.count > 1 else [self.count] for v in families]
        return np.concatenate([np.repeat(k, v.manifold.dim) for k, v in zip(steps, families, strict=True)])

    @cached_property
    def _local(self) -> Int[np.ndarray, " n"]:
        """Place of each direction among those of its step, or of what is shared."""
        at, found = {True: 0, False: 0}, list[np.ndarray]()
        for v in self.window.problem.layout.families:
            dim, first = v.manifold.dim, at[v.count > 1]
            found.append(np.tile(np.arange(first, first + dim), v.count))
            at[v.count > 1] += dim
        return np.concatenate(found)

    @cached_property
    def _is_fixed(self) -> Bool[np.ndarray, " n"]:
        return self._steps < 0

    @cached_property
    def _places_in_tree(self) -> Int[np.ndarray, " n"]:
        return np.maximum(self._steps, 0) * self.own + self._local

    @cached_property
    def _places(self) -> tuple[ScatterTargets, ScatterTargets]:
        """Places in fronts of entries of J'J, and of J'r; the last number of all takes those that are left out."""
        places, at, fixed = self._tree.storage.places, self._places_in_tree, self._is_fixed
        entries = places(at[self.rows], at[self.columns])
        left_out = fixed[self.rows] | fixed[self.columns]
        spare = len(self._tree.clear()) - 1
        return find_runs(np.where(left_out, spare, entries)), find_runs(np.where(fixed, spare, places(None, at)))

    @cached_property
    def _prior_places(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of the prior: its lower triangle and its vector."""
        shared = self.count * self.own
        local = np.r_[self.held_places, shared : shared + self.shared]
        i, j = self._lower
        return self._tree.storage.places(local[i], local[j]), self._tree.storage.places(None, local)

    @cached_property
    def _lower(self) -> tuple[np.ndarray, np.ndarray]:
        return np.tril_indices(len(self.held_places) + self.shared)

    @cached_property
    def _diagonal(self) -> Int[np.ndarray, " d"]:
        every = np.arange(int(self._dims.sum()))
        return self._tree.storage.places(every, every)
