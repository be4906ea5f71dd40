"""The graph between two eliminations, for drawing (Xie & Dellaert (2019), Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.elimination.system import Step
from screwgraph.graph import Column, Key, Row


@dataclass(frozen=True)
class IntermediateGraph:
    """Remaining graph after some variables are gone: (name, variables) of each factor that still has equations."""

    __repr__ = one_line

    eliminated: tuple[Key, ...]
    factors: tuple[tuple[str, tuple[Key, ...]], ...]


def list_intermediate_graphs(
    rows: Sequence[Row], order: Sequence[Key], steps: Iterable[Step]
) -> tuple[IntermediateGraph, ...]:
    """Return the graph before the first variable, and after each."""
    held: dict[Row, set[Column]] = {row: set(row.terms) for row in rows}
    by_key: dict[Key, list[Step]] = {key: [] for key in order}
    for step in steps:
        by_key[step.column[0]].append(step)
    result = [_state((), held)]
    for n, key in enumerate(order, 1):
        for step in by_key[key]:
            if not step.shared:
                del held[step.row]
            for columns in held.values():
                columns.discard(step.column)
            for row, column in step.fill_in:
                if row in held:
                    held[row].add(column)
        result.append(_state(tuple(order[:n]), held))
    return tuple(result)


def _state(done: tuple[Key, ...], held: Mapping[Row, set[Column]]) -> IntermediateGraph:
    factors: dict[str, dict[Key, None]] = {}
    for row, columns in held.items():
        factors.setdefault(row.factor.name, {}).update(dict.fromkeys(key for key, _ in sorted(columns)))
    left = tuple((name, tuple(k for k in keys if k not in done)) for name, keys in factors.items())
    return IntermediateGraph(done, tuple((name, keys) for name, keys in left if keys))
