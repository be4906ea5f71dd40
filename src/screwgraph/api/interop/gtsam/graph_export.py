"""Problems as nonlinear graphs of GTSAM, of custom factors.

Factors are custom factors, several in one: GTSAM's calls of Python take longer than our code does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.api.interop.gtsam.equalities import find_equality
from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.api.interop.gtsam.noise_models import make_noise_model
from screwgraph.api.interop.gtsam.value_types import ValueType, find_value_type, read_values
from screwgraph.api.interop.gtsam.values import Keys, validate_keys
from screwgraph.api.interop.pose_graph import Prior
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.optimize import Factors, Problem
from screwgraph.optimize.batch import Batch, merge_factors
from screwgraph.optimize.factors import select_factors
from screwgraph.optimize.kernels import Kernels
from screwgraph.optimize.variables import Selection

TOGETHER = 8
"""Factors of one family in one of GTSAM's: few enough for its dense matrices, enough to share a call of Python."""


@check_arguments
def to_gtsam(problem: Problem, keys: Keys | None = None, *, together: int = TOGETHER) -> Any:
    """Return a problem as a `gtsam.NonlinearFactorGraph` whose factors call our compiled code, Jacobians included.

    Neighbouring factors of one family, which share unknowns, are one factor there, and cost the same. Soft factors are
    whitened here; losses are GTSAM's, hard equalities its constraints, hard `Prior` its `NonlinearEquality`.

    Args:
        problem: of soft factors and equalities.
        keys: by family, one for each unknown; by default those of `symbols`.
        together: factors in one of GTSAM's, at most; 1 keeps the graph's sparsity as it is.

    Raises:
        InputError: GTSAM has no such factor or type of unknown, or is not installed.
    """
    if together < 1:
        raise InputError(f"together = {together}", fix="give a positive number of factors")
    gtsam, graph = import_gtsam(), import_gtsam().NonlinearFactorGraph()
    own = {v.name: tuple(found) for v, found in validate_keys(problem, keys)}
    for f in problem.factors:
        _check(f)
    soft = [f for f in problem.factors if f.kind == "soft" and f.loss is None]
    hard = [f for f in problem.factors if f.kind == "equality" and not _add_pins(graph, f, own)]
    for factors in (soft, hard):
        for group in group_factors(factors, together):
            own_block = make_block(group, own)
            model = make_noise_model(None, own_block.rows, hard=factors is hard)
            graph.add(gtsam.CustomFactor(model, own_block.keys, own_block))
    for f in (f for f in problem.factors if f.loss is not None):
        for group in group_factors([replace(f, loss=None)], 1):
            own_block = make_block(group, own)
            graph.add(
                gtsam.CustomFactor(make_noise_model(f.loss, own_block.rows, hard=False), own_block.keys, own_block)
            )
    return graph


@dataclass(frozen=True, eq=False)
class BlockUnknowns:
    """Unknowns of one family in a block: their kind, keys, directions of each."""

    name: str
    kind: ValueType
    keys: tuple[int, ...]
    dim: int


@dataclass(frozen=True, eq=False)
class FactorFamily:
    """Factors of one family in a block, and where their Jacobians stand among its numbers."""

    batch: Batch
    places: Int[np.ndarray, " k"]

    @property
    def rows(self) -> int:
        """Length of all residuals."""
        return len(self.batch) * self.batch.factors.rows

    def linearise(self, views: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return residuals (N, m), those of soft factors whitened, and Jacobians (N, m, n)."""
        inputs = self.batch.inputs(views)
        if self.batch.factors.kind == "soft":
            r, J, _ = self._kernels.whitened_jacobian(*inputs)
        else:
            r, entries = self._kernels.jacobian(*inputs)
            J = np.zeros(self._shape)
            J[:, self._kernels.places[0], self._kernels.places[1]] = entries
        if r.ndim == 1:  # of one unknown that has one value for all
            r, J = np.broadcast_to(r, self._shape[:2]), np.broadcast_to(J, self._shape)
        return r, J

    @cached_property
    def _kernels(self) -> Kernels:
        return self.batch.factors.kernels

    @cached_property
    def _shape(self) -> tuple[int, int, int]:
        return len(self.batch), self._kernels.rows, self._kernels.size


@dataclass(frozen=True, eq=False)
class CustomFactorBlock:
    """Block of factors that GTSAM calls: their residuals, and Jacobians by each of their unknowns."""

    parts: tuple[FactorFamily, ...]
    unknowns: tuple[BlockUnknowns, ...]

    def __call__(self, this: Any, values: Any, slopes: Any) -> Float[np.ndarray, " m"]:
        """Return the residual; fill the Jacobians where they are asked for."""
        views = {u.name: read_values(u.kind, u.name, values, u.keys) for u in self.unknowns}
        found = [part.linearise(views) for part in self.parts]
        if slopes is not None:
            whole = np.zeros((self._columns[-1][1].stop, self.rows))
            flat = whole.ravel()
            for part, (_, J) in zip(self.parts, found, strict=True):
                flat[part.places] = J.ravel()
            columns = whole.T
            for k, own in enumerate(self._columns):
                slopes[k] = columns[own]
        return found[0][0].ravel() if len(found) == 1 else np.concatenate([r.ravel() for r, _ in found])

    @property
    def keys(self) -> list[int]:
        """Keys of all unknowns."""
        return [key for u in self.unknowns for key in u.keys]

    @cached_property
    def rows(self) -> int:
        """Length of the residual."""
        return sum(part.rows for part in self.parts)

    @cached_property
    def _columns(self) -> list[tuple[slice, slice]]:
        """All rows, and the columns of each unknown's directions."""
        ends = np.cumsum([0, *(u.dim for u in self.unknowns for _ in u.keys)]).tolist()
        return [(slice(None), slice(a, b)) for a, b in pairwise(ends)]


def make_block(chosen: Sequence[Factors], keys: Keys) -> CustomFactorBlock:
    """Return a block of factors; its families are cut down to the unknowns that these touch."""
    own: dict[str, np.ndarray] = {}
    first: dict[str, int] = {}
    unknowns: list[BlockUnknowns] = []
    size = 0
    for v in dict.fromkeys(a.variables for f in chosen for a in f.arguments):
        touched = np.unique(np.concatenate([a.indices for f in chosen for a in f.arguments if a.variables == v]))
        own[v.name], first[v.name] = touched, size
        named = tuple(keys[v.name][i] for i in touched.tolist())
        unknowns.append(BlockUnknowns(v.name, find_value_type(v.name, v.manifold), named, v.manifold.dim))
        size += len(touched) * v.manifold.dim
    parts: list[FactorFamily] = []
    total, row = sum(len(f) * f.rows for f in chosen), 0
    for f in chosen:
        arguments, columns = [], []
        for a in f.arguments:
            v = a.variables
            local = np.broadcast_to(np.searchsorted(own[v.name], a.indices), (len(f),))
            arguments.append(Selection(replace(v, count=len(own[v.name])), local))
            columns.append(first[v.name] + local[:, None] * v.manifold.dim + np.arange(v.manifold.dim))
        rows = row + np.arange(len(f) * f.rows).reshape(len(f), f.rows, 1)
        places = np.concatenate(columns, axis=1)[:, None, :] * total + rows
        parts.append(FactorFamily(Batch(replace(f, arguments=tuple(arguments)), ((f.name, len(f)),)), places.ravel()))
        row += len(f) * f.rows
    return CustomFactorBlock(tuple(parts), tuple(unknowns))


def group_factors(factors: Sequence[Factors], together: int) -> list[list[Factors]]:
    """Return factors in groups: `together` of one family that share unknowns, and others on the same unknowns."""
    groups: list[list[Factors]] = []
    touched: list[set[tuple[str, int]]] = []
    holding: dict[tuple[str, int], list[int]] = {}
    for f in sorted(factors, key=lambda f: -len(f.arguments)):
        whole, places = merge_factors([f]).factors, _places(f)
        within: dict[int, list[int]] = {}
        for k, own in enumerate(places):
            home = _home(own, touched, holding) if together > 1 else -1
            open_ = len(groups) - 1
            if home < 0 and together > 1 and within.get(open_) and len(within[open_]) < together and own & touched[-1]:
                home = open_
            if home < 0:
                home = len(groups)
                groups.append([])
                touched.append(set())
            within.setdefault(home, []).append(k)
            for place in own - touched[home]:
                holding.setdefault(place, []).append(home)
            touched[home] |= own
        for home, chosen in within.items():
            groups[home].append(select_factors(whole, np.array(chosen)))
    return groups


def _home(
    own: set[tuple[str, int]], touched: list[set[tuple[str, int]]], holding: dict[tuple[str, int], list[int]]
) -> int:
    """Return a group that has all of these unknowns, or -1."""
    for home in holding.get(next(iter(own)), ()):
        if own <= touched[home]:
            return home
    return -1


def _places(f: Factors) -> list[set[tuple[str, int]]]:
    """Return the unknowns of each factor."""
    indices = [np.broadcast_to(a.indices, (len(f),)).tolist() for a in f.arguments]
    names = [a.variables.name for a in f.arguments]
    return [set(zip(names, numbers, strict=True)) for numbers in zip(*indices, strict=True)]


def _add_pins(graph: Any, f: Factors, keys: Keys) -> bool:
    """Add hard priors as GTSAM's equalities; tell whether they are these, of a type that GTSAM has."""
    if not isinstance(f.template, Prior):
        return False
    v, numbers = f.arguments[0].variables, np.broadcast_to(f.arguments[0].indices, (len(f),))
    known = f.each.get("z", f.shared.get("z"))
    made = find_equality(v.name, v.manifold)
    if made is None or known is None:
        return False
    for i, z in zip(numbers.tolist(), np.broadcast_to(known, (len(f), *v.manifold.shape)), strict=True):
        graph.add(made(keys[v.name][i], z))
    return True


def _check(f: Factors) -> None:
    if f.kind == "inequality" or f.kernels.derivation.is_cost:
        what = "an inequality" if f.kind == "inequality" else "a cost that is no square"
        raise InputError(f"{f.name} is {what}", why="GTSAM has no such factor", fix="use `hinge`, or `soft`")
