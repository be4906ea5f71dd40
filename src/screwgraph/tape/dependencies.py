"""What values of straight-line code are computed from."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

LEAVES = ("constant", "input")
"""What stands in a program beside operations."""


def values_needed(
    instructions: Sequence[tuple[Any, ...]], values: Iterable[int], known: Container[int] = ()
) -> list[int]:
    """Return values and all that they need, in order; of values that are `known`, not what these need."""
    found, waiting = set[int](), list(values)
    while waiting:
        i = waiting.pop()
        if i not in found:
            found.add(i)
            if i not in known and instructions[i][0] not in LEAVES:
                waiting += instructions[i][1:]
    return sorted(found)
