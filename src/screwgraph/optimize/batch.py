"""Factors of equal kind become one batch: one call of compiled code for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.base.summary import one_line
from screwgraph.optimize.factors import Factors
from screwgraph.optimize.template_derivatives import Shapes
from screwgraph.optimize.value_layout import ValueLayout
from screwgraph.optimize.variables import Selection


@dataclass(frozen=True, eq=False)
class Batch:
    """Factors of one signature, and the members that they were made of, one after the other."""

    __repr__ = one_line

    factors: Factors
    members: tuple[tuple[str, int], ...]

    def __len__(self) -> int:
        return len(self.factors)

    def inputs(self, views: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Return what kernels are called with, of families' arrays: copies where these have strides."""
        unknowns = [
            views[name][where] if is_contiguous else np.ascontiguousarray(views[name][where])
            for name, where, is_contiguous in self.sources
        ]
        if self.factors.refresh is None:
            return [*unknowns, *self.parameters]
        own = self._own(self.factors.signature.each, {**self.factors.each, **self.factors.refresh(*unknowns)})
        return [*unknowns, *self.parameters[:-1], own]

    def bind(self, views: dict[str, np.ndarray]) -> Callable[[], list[np.ndarray]]:
        """Return what gives the inputs of kernels, where the families' arrays stay in their places."""
        if self.factors.refresh is None and all(is_contiguous for *_, is_contiguous in self.sources):
            inputs = self.inputs(views)
            return lambda: inputs
        return partial(self.inputs, views)

    def directions(self, layout: ValueLayout) -> Int[np.ndarray, "N n"]:
        """Return which direction of the problem each direction of each factor is."""
        columns = []
        for a in self.factors.arguments:
            dim = a.variables.manifold.dim
            first = layout.directions[a.variables.name].start + a.indices * dim
            columns.append(np.broadcast_to(first[:, None] + np.arange(dim), (len(self), dim)))
        return np.concatenate(columns, axis=1)

    @cached_property
    def parameters(self) -> list[np.ndarray]:
        """Shared parameters, and those of each factor, as kernels take them."""
        shared, own = self.factors.signature.shared, self.factors.signature.each
        found = []
        if shared:
            found.append(np.concatenate([self.factors.shared[n].ravel() for n, _ in shared]))
        if own:
            found.append(self._own(own, self.factors.each))
        return found

    def with_parameters(self, parameters: list[np.ndarray]) -> Batch:
        """Return these factors with parameters as kernels take them; `factors` keeps what it has."""
        other = replace(self)
        other.__dict__.update(self.__dict__, parameters=parameters)
        return other

    def with_sources(self, other: Batch) -> Batch:
        """Return these factors, which know where their unknowns stand from others on the same ones."""
        vars(self)["sources"] = other.sources
        return self

    def _own(self, names: Shapes, values: Mapping[str, np.ndarray]) -> np.ndarray:
        flat = [values[n].reshape(len(values[n]), -1) for n, _ in names]
        longest = max(map(len, flat))
        return np.concatenate([np.broadcast_to(f, (longest, f.shape[1])) for f in flat], axis=1)

    @cached_property
    def sources(self) -> list[tuple[str, Any, bool]]:
        """By argument its family, which of its unknowns, and whether these stand one after the other."""
        found = [(a.variables.name, a.of_array) for a in self.factors.arguments]
        return [(name, where, isinstance(where, slice) and where.step in (None, 1)) for name, where in found]


def make_batches(factors: Sequence[Factors]) -> list[Batch]:
    """Return factors as batches, as few as there can be."""
    groups: dict[Any, list[Factors]] = {}
    for f in factors:
        groups.setdefault(_alike(f), []).append(f)
    return [merge_factors(group) for group in groups.values()]


def merge_factors(group: Sequence[Factors]) -> Batch:
    """Return alike factors as one batch; parameters that differ become one for each factor."""
    members = tuple((f.name, len(f)) for f in group)
    first = group[0]
    if len(group) == 1:
        return Batch(first, members)
    arguments = []
    for k, a in enumerate(first.arguments):
        indices = [np.broadcast_to(f.arguments[k].indices, (len(f),)) for f in group]
        arguments.append(Selection(a.variables, np.concatenate(indices)))
    shared, own = {}, {}
    for name in (*first.shared, *first.each):
        if all(name in f.shared and np.array_equal(f.shared[name], first.shared.get(name, ())) for f in group):
            shared[name] = first.shared[name]
        else:
            own[name] = np.concatenate([_of_each(f, name) for f in group])
    return Batch(replace(first, arguments=tuple(arguments), shared=shared, each=own), members)


def _of_each(factors: Factors, name: str) -> np.ndarray:
    if name in factors.each:
        array = factors.each[name]
        return np.broadcast_to(array, (len(factors), *array.shape[1:]))
    array = factors.shared[name]
    return np.broadcast_to(array, (len(factors), *array.shape))


def _alike(f: Factors) -> Any:
    """Return what factors of one batch have in common."""
    families = tuple(a.variables for a in f.arguments)
    shapes = {n: a.shape for n, a in f.shared.items()} | {n: a.shape[1:] for n, a in f.each.items()}
    return f.kind, f.template, families, f.loss, f.refresh, tuple(sorted(shapes.items()))
