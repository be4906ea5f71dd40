"""Factors of one kind, added and removed one by one: their parameters, multipliers, and numbers in a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.factors import Factors
from screwgraph.optimize.fronts.bayes_tree import BayesTree
from screwgraph.optimize.fronts.small_batches import SmallBatchCalls
from screwgraph.optimize.kernels import Kernels, kernels
from screwgraph.optimize.template_derivatives import Shapes, Signature
from screwgraph.optimize.value_layout import ValueLayout

ROUNDING = 1e-14
"""Multipliers of the wrong sign that are no more, relative to the weight."""
STEADY = 1e-3
"""Changes of multipliers, relative, that are taken in no more: unknowns err by that, divided by the stiffness."""
FEW_ROWS = 6
"""Factors up to which a kernel is called for one after the other."""
LARGE = 64
"""Numbers of a shared parameter beyond which factors do not get copies of their own."""


def pool_key(f: Factors) -> Any:
    """Return what factors of one pool have in common."""
    families = tuple(a.variables.name for a in f.arguments)
    shapes = {n: a.shape for n, a in f.shared.items()} | {n: a.shape[1:] for n, a in f.each.items()}
    large = tuple(sorted((n, a.tobytes()) for n, a in f.shared.items() if a.size > LARGE))
    return f.kind, f.template, families, f.loss, f.refresh, tuple(sorted(shapes.items())), large


class FactorPool:
    """Rows of factors, some of them free; hard factors are quadratic penalties with multipliers.

    A hard residual c costs y'c + w c'c / 2: y has converged where c vanishes. Elimination needs no pivots then, and the
    tree knows nothing of hard factors. Hestenes, Multiplier and gradient methods (1969).
    """

    def __init__(self, f: Factors, layout: ValueLayout, tree: BayesTree, stiffness: float) -> None:
        self._layout, self._tree, self._stiffness = layout, tree, stiffness
        self.kind, self._refresh = f.kind, f.refresh
        self._families = [a.variables for a in f.arguments]
        self._large = {n: a for n, a in f.shared.items() if a.size > LARGE}
        small = [n for n in sorted(f.shared) if n not in self._large]
        shapes = {n: f.shared[n].shape for n in small} | {n: a.shape[1:] for n, a in f.each.items()}
        self._own: Shapes = tuple(sorted(shapes.items()))
        shared: Shapes = tuple((n, a.shape) for n, a in sorted(self._large.items()))
        signature = Signature(f.template, tuple(v.manifold for v in self._families), shared, self._own, f.loss)
        self.kernels: Kernels = kernels(signature, True)
        self.is_linear = f.refresh is None and self.kernels.derivation.is_linear
        self._shared = [np.concatenate([self._large[n].ravel() for n, _ in shared])] if shared else []
        ends = np.cumsum([0, *(int(np.prod(shape)) for _, shape in self._own)]).tolist()
        self._slots = {n: slice(a, b) for (n, _), a, b in zip(self._own, ends, ends[1:], strict=False)}
        numbers = {v.name: n for v, n in zip(layout.families, _firsts(layout), strict=True)}
        self._firsts = [numbers[v.name] for v in self._families]
        self._indices = np.zeros((len(self._families), 0), dtype=np.int64)
        self.parameters = np.zeros((0, sum(int(np.prod(shape)) for _, shape in self._own)))
        self.factors = np.zeros(0, dtype=np.int64)
        k, m = self.kernels.size, self.kernels.rows
        self._places, self._sides = self._where(k)
        hard = (0, m) if f.kind != "soft" else (0, 0)
        self._multipliers, self._weights, self._residuals = np.zeros((3, *hard))
        self._slopes = np.zeros((*hard, k))
        self._active = np.zeros(hard, dtype=bool)
        self._free: list[int] = []
        self._few: SmallBatchCalls | None = None
        self._count = 0

    def add(self, f: Factors) -> tuple[Int[np.ndarray, " N"], Int[np.ndarray, "N a"]]:
        """Add factors; return their rows, and their unknowns."""
        count = len(f)
        again = [self._free.pop() for _ in range(min(count, len(self._free)))]
        rows = np.arange(self._count, self._count + count - len(again))
        self._count += len(rows)
        if self._count > len(self.factors):
            self._grow(2 * self._count)
        if again:
            rows = np.concatenate([np.array(again, dtype=np.int64), rows])
        at = rows if again else slice(self._count - count, self._count)
        unknowns = np.empty((count, len(f.arguments)), dtype=np.int64)
        for k, a in enumerate(f.arguments):
            self._indices[k, at] = a.indices
            unknowns[:, k] = a.indices + self._firsts[k]
        self._pack(self.parameters, at, {**{n: a[None] for n, a in f.shared.items()}, **f.each})
        if again:
            self._tree.link(self.factors[again], unknowns[: len(again)], not self.is_linear)
        if count > len(again):
            new = self._tree.add(unknowns[len(again) :], self.kernels.size, not self.is_linear)
            self.factors[self._count - len(new) : self._count] = new
        if self.kind != "soft":
            self._multipliers[rows] = self._weights[rows] = 0.0
        return rows, unknowns

    def remove(self, rows: Int[np.ndarray, " N"]) -> None:
        """Remove factors."""
        self._tree.remove(self.factors[rows], not self.is_linear)
        self._free += rows.tolist()

    def has_large(self, names: Iterable[str]) -> bool:
        """Whether some parameters are shared by all factors of the pool."""
        return bool(self._large) and any(n in self._large for n in names)

    def change(self, rows: Int[np.ndarray, " N"], values: Mapping[str, np.ndarray]) -> Int[np.ndarray, " k"] | None:
        """Change parameters of some factors; return which of them that changes, or None."""
        if len(rows) == 1:
            return self._changed_row(int(rows[0]), values)
        different = False
        for name, value in values.items():
            slot, new = self._slots[name], value.reshape(len(value), -1)
            other = self.parameters[rows, slot] != new
            if other.any():
                self.parameters[rows, slot] = new
                different = other.any(axis=1) | different
        return None if different is False else np.flatnonzero(different)

    def _changed_row(self, row: int, values: Mapping[str, np.ndarray]) -> Int[np.ndarray, " k"] | None:
        different = False
        for name, value in values.items():
            old, new = self.parameters[row, self._slots[name]], value.ravel()
            if (old != new).any():
                old[:] = new
                different = True
        return np.zeros(1, dtype=np.int64) if different else None

    def linearise(self, rows: Int[np.ndarray, " N"], views: Mapping[str, np.ndarray], scale: float) -> None:
        """Write the numbers of some factors, where unknowns are now, into the tree."""
        if len(rows) <= FEW_ROWS and self.kind == "soft" and self.kernels.is_unrolled and self._refresh is None:
            self._linearise_few(rows, views)
            return
        k, inputs = self.kernels.size, self._inputs(rows, views)
        where = self._tree.where(self.factors[rows])[:, None]
        data = self._tree.data
        if self.kind != "soft":
            H, g = self._penalty(rows, inputs, scale)
        elif self.kernels.is_unrolled:
            entries, gradient, _ = self.kernels.normal(*inputs)
            data[where + self._places] = entries
            data[where + self._sides] = gradient
            return
        else:
            r, J, _ = self.kernels.whitened_jacobian(*inputs)
            H, g = J.transpose(0, 2, 1) @ J, np.einsum("nmk,nm->nk", J, r)
        data[where + np.arange(k * (k + 1))] = np.concatenate([H, g[:, :, None]], axis=2).reshape(len(rows), -1)

    def _linearise_few(self, rows: Int[np.ndarray, " N"], views: Mapping[str, np.ndarray]) -> None:
        if self._few is None:
            unknowns = [views[v.name] for v in self._families]
            own = self.parameters if self.parameters.shape[1] else None
            results = (len(self._places), len(self._sides), 1)
            put_at = np.concatenate([self._places, self._sides])
            arrays = (self.kernels.normal, unknowns, self._shared, own, self._indices, results, self.factors, put_at)
            self._few = SmallBatchCalls(*arrays, FEW_ROWS)
        self._tree.compute(self._few, rows)

    def sizes(self, rows: Int[np.ndarray, " N"]) -> Float[np.ndarray, " N"]:
        """Return the largest entry of each factor's J'J."""
        k = self.kernels.size
        places = self._tree.where(self.factors[rows])[:, None] + np.arange(k) * (k + 2)
        return self._tree.data[places].max(axis=1)

    def step_multipliers(self, rows: Int[np.ndarray, " N"], delta: Float[np.ndarray, " n"]) -> None:
        """Move the multipliers of hard factors along with their unknowns."""
        if self.kind != "soft" and len(rows):
            self._multipliers[rows] = self._clip_duals(self._pulls(rows, delta))

    def broken(
        self, rows: Int[np.ndarray, " N"], views: Mapping[str, np.ndarray], delta: Float[np.ndarray, " n"]
    ) -> Float[np.ndarray, " N"]:
        """Return by how much hard factors do not hold, in their own units.

        Infinitely, where an inequality pulls, or multipliers still change.
        """
        c = np.broadcast_to(self.kernels.residual(*self._inputs(rows, views)), (len(rows), self.kernels.rows))
        pulls, rounding = self._pulls(rows, delta), ROUNDING * self._weights[rows]
        if self.kind == "inequality":
            c = np.where(self._active[rows], np.abs(c), np.maximum(c, 0.0))
            c = np.where(pulls < -rounding, np.inf, c)
        moving = np.abs(pulls - self._multipliers[rows]) > STEADY * np.abs(pulls).max(initial=0.0) + rounding
        return np.where(moving, np.inf, np.abs(c)).max(axis=1)

    def _pulls(self, rows: Int[np.ndarray, " N"], delta: Float[np.ndarray, " n"]) -> Float[np.ndarray, "N m"]:
        """Return the multipliers that the unknowns' steps lead to: zero of inequalities that were not active."""
        ahead = self._residuals[rows] + np.einsum("nmk,nk->nm", self._slopes[rows], delta[self.directions(rows)])
        return np.where(self._active[rows], self._multipliers[rows] + self._weights[rows] * ahead, 0.0)

    def violations(self, rows: Int[np.ndarray, " N"], views: Mapping[str, np.ndarray]) -> Float[np.ndarray, " N"]:
        """Return by how much hard factors do not hold, in their own units."""
        c = np.broadcast_to(self.kernels.residual(*self._inputs(rows, views)), (len(rows), self.kernels.rows))
        return (np.abs(c) if self.kind == "equality" else np.maximum(c, 0.0)).max(axis=1)

    def costs(self, rows: Int[np.ndarray, " N"], views: Mapping[str, np.ndarray]) -> float:
        """Return what some factors cost."""
        return float(self.kernels.cost(*self._inputs(rows, views)).sum()) if self.kind == "soft" else 0.0

    def unknowns(self, rows: Int[np.ndarray, " N"]) -> Int[np.ndarray, "N a"]:
        """Return the unknowns of some factors."""
        return self._indices[:, rows].T + np.array(self._firsts)

    def directions(self, rows: Int[np.ndarray, " N"]) -> Int[np.ndarray, "N k"]:
        """Return the directions of some factors' unknowns."""
        found = []
        for v, indices in zip(self._families, self._indices[:, rows], strict=True):
            first = self._layout.directions[v.name].start + indices * v.manifold.dim
            found.append(first[:, None] + np.arange(v.manifold.dim))
        return np.concatenate(found, axis=1)

    def _penalty(
        self, rows: Int[np.ndarray, " N"], inputs: list[np.ndarray], scale: float
    ) -> tuple[Float[np.ndarray, "N k k"], Float[np.ndarray, "N k"]]:
        N, m, k = len(rows), self.kernels.rows, self.kernels.size
        r, entries = self.kernels.jacobian(*inputs)
        J = np.zeros((N, m, k))
        J[:, self.kernels.places[0], self.kernels.places[1]] = entries
        new = (self._weights[rows] == 0.0).any(axis=1)
        steep = np.maximum((J[new] ** 2).sum(axis=2), np.finfo(float).tiny)
        self._weights[rows[new]] = self._stiffness * scale / np.where(steep > 1e-24, steep, 1.0)
        self._residuals[rows], self._slopes[rows] = r, J
        w = self._weights[rows]
        y = self._multipliers[rows]
        # Penalties give way by so little that it tells nothing of which inequalities hold by themselves.
        active = self._active[rows] = (y + w / self._stiffness * r > 0.0) | (self.kind == "equality")
        y = np.where(active, y + w * r, 0.0)
        return np.einsum("nmi,nm,nmj->nij", J, np.where(active, w, 0.0), J), np.einsum("nmk,nm->nk", J, y)

    def _clip_duals(self, y: np.ndarray) -> np.ndarray:
        return y if self.kind == "equality" else np.maximum(y, 0.0)

    def _inputs(self, rows: Int[np.ndarray, " N"], views: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        unknowns = [views[v.name][i] for v, i in zip(self._families, self._indices[:, rows], strict=True)]
        own = self.parameters[rows]
        if self._refresh is not None:
            start, values = 0, {}
            for name, shape in self._own:
                end = start + int(np.prod(shape))
                values[name] = own[:, start:end].reshape(len(rows), *shape)
                start = end
            own = np.empty((len(rows), self.parameters.shape[1]))
            self._pack(own, slice(None), {**values, **self._refresh(*unknowns)})
        return [*unknowns, *self._shared, *([own] if own.shape[1] else [])]

    def _pack(self, to: Float[np.ndarray, "N p"], rows: Any, values: Mapping[str, np.ndarray]) -> None:
        """Write parameters of factors, one row each."""
        for name, slot in self._slots.items():
            value = values[name]
            to[rows, slot] = value.reshape(len(value), -1)

    def _where(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return where entries of J'J, and of J'r, stand among a factor's numbers."""
        if self.kind != "soft" or not self.kernels.is_unrolled:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        i, j = self.kernels.pattern
        return j * (k + 1) + i, np.arange(k) * (k + 1) + k

    def _grow(self, count: int) -> None:
        more = count - len(self.factors)
        self._few = None
        self._indices = np.pad(self._indices, ((0, 0), (0, more)))
        for name in ("parameters", "factors", "_multipliers", "_weights", "_residuals", "_slopes", "_active"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros((more, *array.shape[1:]), array.dtype)]))


def _firsts(layout: ValueLayout) -> list[int]:
    """Return the number of each family's first unknown."""
    counts = [v.count for v in layout.families]
    return (np.cumsum(counts) - counts).tolist()
