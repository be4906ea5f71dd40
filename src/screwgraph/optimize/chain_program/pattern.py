"""Patterns of matrices: entries that are constants, and live ones, whose numbers are known when code runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from screwgraph.tape import Number, dot
from screwgraph.tape.sparse_rows import is_zero

Pattern = Sequence[Sequence[float | None]]
"""Rows of a matrix: constants, None for entries that are known when it runs."""


def count_live(pattern: Pattern) -> int:
    """Return how many entries are live."""
    return sum(entry is None for row in pattern for entry in row)


def fill(pattern: Pattern, live: Any) -> list[list[Any]]:
    """Return a matrix of constants and live entries, which come by rows."""
    place = count()
    return [[live[next(place)] if entry is None else entry for entry in row] for row in pattern]


def is_present(entry: float | None) -> bool:
    """Return whether an entry is not zero for certain."""
    return entry is None or entry != 0.0


def multiply_symmetric(rows: Sequence[Sequence[Any]], z: Sequence[Number]) -> list[Number]:
    """Return the product of a symmetric matrix, the rows of its lower triangle, and a vector."""
    n = len(rows)
    return [dot([rows[max(i, j)][min(i, j)] for j in range(n)], z) for i in range(n)]


def add_multiple(numbers: Sequence[Number], factor: Number, row: Sequence[Number]) -> list[Number]:
    """Return numbers and a multiple of the first of a row, as many."""
    return [x if is_zero(b) or is_zero(factor) else x + factor * b for x, b in zip(numbers, row, strict=False)]


def list_rounds(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield runs of pairs no two of which have a target in common."""
    start, targets = 0, set[int]()
    for k, (_, j) in enumerate(pairs):
        if j in targets:
            yield start, k
            start, targets = k, set[int]()
        targets.add(j)
    yield start, len(pairs)


def list_runs(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Yield the first of pairs both of which go on by one, and how many do."""
    start = 0
    for k, (i, j) in enumerate(pairs):
        if k + 1 == len(pairs) or pairs[k + 1] != (i + 1, j + 1):
            yield (*pairs[start], k + 1 - start)
            start = k + 1
