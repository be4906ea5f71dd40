"""An order that somebody wrote down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.elimination.orderings.base import unknown_only
from screwgraph.graph import FactorGraph, Key


@dataclass(frozen=True)
class Explicit:
    """A list of variables; those that are known in a graph are passed over."""

    keys: tuple[Key, ...]

    def order(self, graph: FactorGraph) -> list[Key]:
        return unknown_only(self.keys, graph)


def explicit(names: Sequence[str | Key]) -> Explicit:
    """Return an order from names such as `"wrench:link3"`."""
    return Explicit(tuple(n if isinstance(n, Key) else Key(*n.split(":", 1)) for n in names))
