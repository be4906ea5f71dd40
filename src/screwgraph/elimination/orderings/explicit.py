"""An order that somebody wrote down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.elimination.orderings.base import filter_unknowns
from screwgraph.graph import FactorGraph, Key


@dataclass(frozen=True)
class Explicit:
    """A list of variables, or of kinds of them; those that are known in a graph are passed over."""

    names: tuple[str | Key, ...]

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return False

    def order(self, graph: FactorGraph) -> list[Key]:
        """Raise InputError where a name means nothing in the graph."""
        return filter_unknowns(graph.select(self.names), graph)


def explicit(names: Sequence[str | Key]) -> Explicit:
    """Return an order from names such as `"wrench:link3"`, or kinds such as `"tau"`."""
    return Explicit(tuple(names))
