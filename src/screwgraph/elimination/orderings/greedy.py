"""Greedy order: whichever scalar costs the fewest operations goes next."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.graph import FactorGraph


@dataclass(frozen=True)
class LeastWork:
    """All scalars at once, the cheapest first, by an equation of any law. Markowitz (1957), operations for fill-in.

    `jitter` perturbs the costs by up to that fraction, reproducibly from `seed`: for searches.
    """

    jitter: float = 0.0
    seed: int = 0

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return False

    def order(self, graph: FactorGraph) -> list[Group]:
        columns = tuple((v.key, i) for v in graph.unknowns for i in range(v.dim))
        return [Group(columns, by_work=True, jitter=self.jitter, seed=self.seed)]


def greedy() -> LeastWork:
    """Return this order."""
    return LeastWork()
