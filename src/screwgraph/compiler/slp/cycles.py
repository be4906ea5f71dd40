"""Packs that wait for each other: one lane of the first needs one of the second, and the other way round."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TypeVar

from screwgraph.compiler.slp.sign_normal_form import SignNormalForm

T = TypeVar("T")


def find_cycles(before: Mapping[T, Collection[T]]) -> Iterator[list[T]]:
    """Yield what waits for itself, through others or at once: strongly connected components (Tarjan, 1972)."""
    index: dict[T, int] = {}
    low: dict[T, int] = {}
    path, on_path = list[T](), set[T]()
    for root in before:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        path.append(root)
        on_path.add(root)
        work = [(root, iter(before[root]))]
        while work:
            unit, rest = work[-1]
            for other in rest:
                if other not in before:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    path.append(other)
                    on_path.add(other)
                    work.append((other, iter(before[other])))
                    break
                if other in on_path:
                    low[unit] = min(low[unit], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[unit])
                if low[unit] == index[unit]:
                    found = [path.pop()]
                    while found[-1] != unit:
                        found.append(path.pop())
                    on_path.difference_update(found)
                    if len(found) > 1 or unit in before[unit]:
                        yield found


def nesting_depths(normal: SignNormalForm) -> list[int]:
    """Return how many operations stand one in the other in each value."""
    found = list[int]()
    for operands in normal.operands:
        found.append(1 + max((found[value] for value, _ in operands), default=-1))
    return found
