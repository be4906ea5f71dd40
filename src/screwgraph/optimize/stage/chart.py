"""Charts: what unknowns are free, and all that a stage touches as a function of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, Function, Order, compile_graph, group_inputs
from screwgraph.elimination import Group
from screwgraph.elimination.orderings import candidates, find_ordering
from screwgraph.elimination.orderings.base import as_groups, list_columns
from screwgraph.graph import Column, Factor, FactorGraph, Key, Role, Variable
from screwgraph.graph.factors import free_coordinates

FREE = Key("free", "stage")
"""The variable of what equations leave free."""
SHORT = ("composite", "aba")
"""Orders of few operations with pivots that rarely vanish: of small open graphs, and of large ones."""


@dataclass(frozen=True, eq=False)
class Chart:
    """The graph of equations alone, entries x of its unknowns that are free, and unknowns to be found from these."""

    __repr__ = one_line

    exact: FactorGraph
    free: tuple[Column, ...]
    touched: tuple[Key, ...]
    ordering: Order

    @cached_property
    def closed_graph(self) -> FactorGraph:
        """The graph of the equations, and x, which are given."""
        keys = list(dict.fromkeys(key for key, _ in self.free))
        places = tuple((keys.index(key), i) for key, i in self.free)
        chosen = Factor(free_coordinates, {"x": tuple(keys), "free": FREE}, len(places), 0, {"places": places})
        graph = self.exact.with_variables(Variable(FREE, len(places))).with_factors(chosen)
        return replace(graph, known=graph.known | {FREE}).given()

    @cached_property
    def solution(self) -> Function:
        """All variables that are touched, as a function of what is given and x."""
        return compile_graph(self.closed_graph, list(self.touched), ordering=self.ordering)

    @property
    def given_arguments(self) -> tuple[Argument, ...]:
        """Arguments of the solution but for x: inputs of the graph."""
        return tuple(a for a in self.solution.arguments if a.name != FREE.argument)

    @property
    def short_order(self) -> str:
        """The name of an order of few operations."""
        names = candidates(self.closed_graph)
        return next((name for name in SHORT if name in names), names[0])

    def list_values(self, named: Mapping[str, Any]) -> dict[Key, Any]:
        """Return values of variables as functions of what is given and x."""
        values = dict[Key, Any]()
        for name, keys in group_inputs(self.closed_graph):
            flat, start = np.ravel(named[name]), 0
            for key in keys:
                size = self.closed_graph.variables[key].dim
                values[key], start = flat[start : start + size], start + size
        arguments = self.solution.arguments
        found = self.solution(*(np.reshape(named[a.name], a.shape) for a in arguments))
        for key, value in zip(self.touched, found if len(self.touched) > 1 else (found,), strict=True):
            values[key] = np.ravel(value[:3]) if key.role is Role.POSE else np.asarray(value)
        return values


@dataclass(frozen=True)
class FreeFirst:
    """Free unknowns go first, by the numbers that are given for them, then all others as in a named order.

    With free efforts this is forward dynamics: of accelerations, pivots are those of the mass matrix, and of forces of
    contacts, those of J M^-1 J', which vanish only where contacts depend on each other.
    """

    name: str

    def order(self, graph: FactorGraph) -> list[Group]:
        chosen = next(factor for factor in graph.factors if factor.template is free_coordinates)
        free = list_columns(graph, chosen.keys)
        groups = as_groups(find_ordering(self.name), graph)
        others = (replace(group, columns=tuple(c for c in group.columns if c not in free)) for group in groups)
        return [Group(free, law=free_coordinates.name), *(group for group in others if group.columns)]
