"""Minimum-degree order: whichever variable shares factors with the fewest others goes next."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.orderings.base import is_other
from screwgraph.graph import FactorGraph, Key


@dataclass(frozen=True)
class MinimumDegree:
    """Minimum degree on the graph of unknowns, counted in scalars; equal degrees go tips first. George & Liu (1989)."""

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_other(graph)

    def order(self, graph: FactorGraph) -> list[Key]:
        dim = {v.key: v.dim for v in graph.unknowns}
        index = {v.key: v.index for v in graph.unknowns}
        near = {key: set(graph.neighbours(key)) for key in dim}
        order: list[Key] = []
        while near:
            key = min(near, key=lambda k: (sum(dim[n] for n in near[k]), -index[k], k))
            order.append(key)
            neighbours = near.pop(key)
            for n in neighbours:
                near[n] |= neighbours
                near[n] -= {n, key}
        return order


def min_degree() -> MinimumDegree:
    """Return this order."""
    return MinimumDegree()
