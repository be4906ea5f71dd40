"""The order for constrained bodies in natural coordinates: every pivot is positive or negative, whatever the state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import is_assembled
from screwgraph.graph import Column, Factor, FactorGraph, Key, Role


@dataclass(frozen=True)
class QuasiDefinite:
    """Angles first, by the constraints that define them; then L D L' of the others, by least degree.

    A multiplier goes after all coordinates of its rows: then pivots of coordinates are positive and those of
    multipliers negative wherever the rows are independent. Vanderbei (1995); Garcia de Jalon & Bayo (1994), chapter 5.
    """

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_assembled(graph)

    def order(self, graph: FactorGraph) -> list[Group]:
        """Return all unknowns."""
        pattern = _pattern(graph)
        groups = [*_motors(graph, pattern), *_order_defined_angles(graph, pattern), *_by_degree(pattern)]
        done = {column for group in groups for column in group.columns}
        left = [column for v in graph.unknowns for column in _columns(graph, v.key) if column not in done]
        return [*groups, *([Group(tuple(left))] if left else [])]


@dataclass(frozen=True, eq=False)
class _Pattern:
    """Who meets whom in the symmetric matrix, and the law and the multipliers' coordinates, by conjugate variable."""

    near: dict[Key, set[Key]]
    law: dict[Key, str]
    touched: dict[Key, set[Key]]
    size: dict[Key, int] = field(default_factory=dict)


def _pattern(graph: FactorGraph) -> _Pattern:
    own = {f.multiplier: f for f in graph.factors if f.multiplier and f.multiplier not in graph.known}
    near: dict[Key, set[Key]] = {key: set() for key in own}
    for key, factor in own.items():
        for other in graph.unknown_keys(factor):
            if other in near and other != key:
                near[key].add(other)
                near[other].add(key)
    touched = {key: {k for k in near[key] if not _is_multiplier(k)} for key in own if _is_multiplier(key)}
    law = {key: factor.template.name for key, factor in own.items()}
    return _Pattern(near, law, touched, {key: graph.variables[key].dim for key in own})


def _motors(graph: FactorGraph, pattern: _Pattern) -> Iterable[Group]:
    """Torques, each given by the law that is solved for it, or by the only one in which it acts."""
    for key in (v.key for v in graph.unknowns if v.key not in pattern.near):
        touching = graph.factors_of[key]
        solved = [f for f in touching if key in f.defined]
        if solved or len(touching) == 1:
            yield Group(_columns(graph, key), law=(solved or touching)[0].template.name)


def _order_defined_angles(graph: FactorGraph, pattern: _Pattern) -> Iterable[Group]:
    """Angles, each by the constraint that defines it; the constraint's multiplier by the balance of the angle."""
    for factor in graph.factors:
        angle, multiplier = factor.arguments.get("defined"), factor.multiplier
        if not isinstance(angle, Key) or multiplier is None or not {angle, multiplier} <= pattern.near.keys():
            continue
        yield Group(_columns(graph, angle), law=factor.template.name)
        yield Group(_columns(graph, multiplier), block=True, through=_columns(graph, angle))
        _eliminate_pair(pattern, angle, multiplier, factor)


def _eliminate_pair(pattern: _Pattern, angle: Key, multiplier: Key, factor: Factor) -> None:
    """Let those that meet the angle meet those that meet the multiplier."""
    by_angle, by_multiplier = (pattern.near.pop(key) - {angle, multiplier} for key in (angle, multiplier))
    for key in by_angle | by_multiplier:
        pattern.near[key] -= {angle, multiplier}
    for a in by_angle:
        for b in by_multiplier:
            if a != b:
                pattern.near[a].add(b)
                pattern.near[b].add(a)
    for coordinates in pattern.touched.values():
        if angle in coordinates:
            coordinates |= {k for k in by_multiplier if not _is_multiplier(k)}
            coordinates.discard(angle)


def _by_degree(pattern: _Pattern) -> Iterable[Group]:
    """Order the remaining unknowns, least degree first; a multiplier waits for the coordinates of its rows."""
    near = pattern.near
    while near:
        ready = [key for key in near if not _is_multiplier(key) or not (pattern.touched[key] & near.keys())]
        key = min(ready, key=lambda k: (sum(pattern.size[n] for n in near[k]), list(near).index(k)))
        yield Group(tuple((key, i) for i in range(pattern.size[key])), law=pattern.law[key])
        neighbours = near.pop(key)
        for n in neighbours:
            near[n] |= neighbours
            near[n] -= {n, key}


def _is_multiplier(key: Key) -> bool:
    return key.role is Role.MULTIPLIER


def _columns(graph: FactorGraph, key: Key) -> tuple[Column, ...]:
    return tuple((key, i) for i in range(graph.variables[key].dim))


def quasi_definite() -> QuasiDefinite:
    """Return this order."""
    return QuasiDefinite()
