"""Dense positive matrices in generated code: factors L L', triangular solutions, and numbers that say what is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from screwgraph.spatial import maximum
from screwgraph.tape import Number, dot
from screwgraph.tape.sparse_rows import is_zero

Numbers = Sequence[Number]

ENDLESS = 1e250
"""A way without an end."""
TINY = 1e-300
LEAST_PIVOT = 1e-150
"""A pivot that is none: its inverse times a number is one."""


def flag(condition: Any) -> Number:
    """Return a truth of a tape as a number: it is 1 or 0."""
    return 1.0 * condition


def factor_positive(H: Sequence[Numbers]) -> tuple[list[list[Number]], list[Number]]:
    """Return the rows of L below its diagonal, L L' = H, and the inverse of the diagonal; H by its lower triangle."""
    L, inverse = list[list[Number]](), list[Number]()
    for i, given in enumerate(H):
        row = list[Number]()
        for j in range(i):
            row.append((given[j] - dot(row, L[j][: len(row)])) * inverse[j])
        pivot = given[i] - dot(row, row)
        inverse.append(1.0 / (maximum(pivot, 1e-14 * abs(given[i]) + TINY)) ** 0.5)
        L.append(row)
    return L, inverse


def invert_pivot(i: int, pivot: Number, diagonal: Number) -> Number:
    """Return the inverse of a pivot of a positive matrix, whose diagonal says how small it may be."""
    return 1.0 / maximum(pivot, 1e-14 * abs(diagonal) + LEAST_PIVOT)


def factor_diagonal(
    H: Sequence[Numbers], invert: Callable[[int, Number, Number], Number] = invert_pivot
) -> tuple[list[list[Number]], list[Number]]:
    """Return the rows of a unit L below its diagonal, L D L' = H, and the inverse of D; H by its lower triangle.

    Without roots, numbers of a small matrix wait half as long for each other. `invert` returns the inverse of pivot i,
    given with the diagonal of H; where that is zero, row i changes no other.
    """
    L, inverse = list[list[Number]](), list[Number]()
    for i, given in enumerate(H):
        scaled, row = list[Number](), list[Number]()  # rows of L D and of L
        for j in range(i):
            scaled.append(given[j] - dot(scaled, L[j]))
        for j, x in enumerate(scaled):
            row.append(x * inverse[j])
        inverse.append(invert(i, given[i] - dot(row, scaled), given[i]))
        L.append(row)
    return L, inverse


def solve_unit_lower(L: Sequence[Numbers], right: Numbers) -> list[Number]:
    """Return L^-1 b of a unit L."""
    found = list[Number]()
    for row, b in zip(L, right, strict=True):
        total = dot(row, found)
        found.append(b if is_zero(total) else b - total)
    return found


def solve_unit_upper(L: Sequence[Numbers], right: Numbers) -> list[Number]:
    """Return L'^-1 b of a unit L."""
    left = list(right)
    for i in reversed(range(len(left))):
        for j, entry in enumerate(L[i]):
            left[j] = left[j] - entry * left[i]
    return left


def solve_lower(L: Sequence[Numbers], inverse: Numbers, right: Numbers) -> list[Number]:
    """Return L^-1 b."""
    found = list[Number]()
    for row, d, b in zip(L, inverse, right, strict=True):
        total = dot(row, found)
        found.append((b if is_zero(total) else b - total) * d)
    return found


def solve_upper(L: Sequence[Numbers], inverse: Numbers, right: Numbers) -> list[Number]:
    """Return L'^-1 b."""
    left = list(right)
    for i in reversed(range(len(left))):
        left[i] = left[i] * inverse[i]
        for j, entry in enumerate(L[i]):
            left[j] = left[j] - entry * left[i]
    return left
