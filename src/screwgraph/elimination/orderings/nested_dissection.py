"""Nested dissection: split the graph by a small separator, order the halves first. George (1973)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from screwgraph.graph import FactorGraph, Key

SMALL = 3
"""Parts of this size are not split further."""

Graph = Mapping[Key, frozenset[Key]]


@dataclass(frozen=True)
class NestedDissection:
    """Recursive bisection by the level of a breadth-first search that is smallest for its balance."""

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return False

    def order(self, graph: FactorGraph) -> list[Key]:
        near = {v.key: frozenset(graph.neighbours(v.key)) for v in graph.unknowns}
        index = {v.key: v.index for v in graph.unknowns}
        return _dissect(sorted(near, key=lambda k: (-index[k], k)), near)


def _dissect(keys: Sequence[Key], near: Graph) -> list[Key]:
    if len(keys) <= SMALL:
        return sorted(keys, key=lambda k: len(near[k] & set(keys)))
    components = _components(keys, near)
    if len(components) > 1:
        return [key for component in components for key in _dissect(component, near)]
    levels = _levels(_far_end(keys, near), keys, near)
    if len(levels) < 3:
        return sorted(keys, key=lambda k: len(near[k] & set(keys)))
    cut = min(range(1, len(levels) - 1), key=lambda i: _badness(levels, i))
    below = [key for level in levels[:cut] for key in level]
    above = [key for level in levels[cut + 1 :] for key in level]
    return [*_dissect(below, near), *_dissect(above, near), *levels[cut]]


def _badness(levels: Sequence[Sequence[Key]], cut: int) -> float:
    """Size of the separator, doubled where one side is empty."""
    below = sum(len(level) for level in levels[:cut])
    above = sum(len(level) for level in levels[cut + 1 :])
    return len(levels[cut]) * (1.0 + abs(below - above) / (below + above))


def _levels(start: Key, keys: Sequence[Key], near: Graph) -> list[list[Key]]:
    left = set(keys) - {start}
    levels = [[start]]
    while True:
        level = [k for k in keys if k in left and any(k in near[n] for n in levels[-1])]
        if not level:
            return levels
        left -= set(level)
        levels.append(level)


def _far_end(keys: Sequence[Key], near: Graph) -> Key:
    """Return a variable at an end of the graph: twice the farthest from where one started."""
    end = keys[0]
    for _ in range(2):
        end = _levels(end, keys, near)[-1][0]
    return end


def _components(keys: Sequence[Key], near: Graph) -> list[list[Key]]:
    left, components = list(keys), []
    while left:
        reached = {k for level in _levels(left[0], left, near) for k in level}
        components.append([k for k in left if k in reached])
        left = [k for k in left if k not in reached]
    return components


def nested_dissection() -> NestedDissection:
    """Return this order."""
    return NestedDissection()
