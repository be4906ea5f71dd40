"""Unknowns by the number of their neighbours, as queues; see `backends.llvm.loops`.

Of equal degrees, the unknown that waited longest comes first: neighbours of what was eliminated go to the end, so that
trees of chains are balanced.
"""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.loops import Ints
from screwgraph.optimize.incremental.records import (
    ALIVE,
    DEGREE,
    EARLIER,
    ELE,
    ELEMENTS,
    GROUP,
    LATE,
    LATER,
    LOC,
    PLACE,
    VAR,
    WHO,
    WIDTH,
)

LEAST = 2
"""Of neighbours that unknowns count as having, at least; see `usual_degree`."""


def inserted_first(L: Ints, B: Ints, k: int, floor: int) -> None:
    """Put an unknown before all others: it stands in the same factors as the one that was eliminated."""
    first = B[2 * floor]
    L[k * LOC + DEGREE] = floor
    L[k * LOC + EARLIER] = -1
    L[k * LOC + LATER] = first
    if first >= 0:
        L[first * LOC + EARLIER] = k
    else:
        B[2 * floor + 1] = k
    B[2 * floor] = k


def inserted(L: Ints, B: Ints, k: int, degree: int, floor: int) -> None:
    """Put an unknown at the end of those of its degree."""
    if degree < floor:
        degree = floor
    L[k * LOC + DEGREE] = degree
    last = B[2 * degree + 1]
    L[k * LOC + EARLIER] = last
    L[k * LOC + LATER] = -1
    if last >= 0:
        L[last * LOC + LATER] = k
    else:
        B[2 * degree] = k
    B[2 * degree + 1] = k


def taken(L: Ints, B: Ints, k: int) -> None:
    """Take an unknown out of those of its degree."""
    degree = L[k * LOC + DEGREE]
    before = L[k * LOC + EARLIER]
    after = L[k * LOC + LATER]
    if before >= 0:
        L[before * LOC + LATER] = after
    else:
        B[2 * degree] = after
    if after >= 0:
        L[after * LOC + EARLIER] = before
    else:
        B[2 * degree + 1] = before
    L[k * LOC + EARLIER] = -2


def degree_of(L: Ints, E: Ints, N: Ints, k: int, m: int) -> int:
    """Return an upper bound of an unknown's neighbours."""
    degree = 0
    node = L[k * LOC + ELEMENTS]
    while node >= 0:
        if E[N[2 * node] * ELE + ALIVE] == 1:
            degree = degree + E[N[2 * node] * ELE + WIDTH] - 1
        node = N[2 * node + 1]
    if degree > m - 1:
        degree = m - 1
    return degree


def first_degrees(V: Ints, L: Ints, E: Ints, N: Ints, B: Ints, m: int, late: int, limit: int, floor: int) -> None:
    """Insert the unknowns of one group, early or late ones."""
    for k in range(m):
        is_late = 0
        if V[L[k * LOC + WHO] * VAR + LATE] == limit:
            is_late = 1
        if is_late == late and L[k * LOC + PLACE] < 0:
            inserted(L, B, k, degree_of(L, E, N, k, m), floor)


def usual_degree(L: Ints, E: Ints, N: Ints, m: int) -> int:
    """Return the median of degrees.

    Unknowns with fewer neighbours count as ones with so many: else chains were eliminated from end to end.
    """
    for d in range(m):
        L[d * LOC + GROUP] = 0
    for k in range(m):
        d = degree_of(L, E, N, k, m)
        L[d * LOC + GROUP] = L[d * LOC + GROUP] + 1
    d = 0
    below = 0
    while d < m - 1 and 2 * (below + L[d * LOC + GROUP]) < m:
        below = below + L[d * LOC + GROUP]
        d = d + 1
    if d < LEAST:
        d = LEAST
    return d


DEGREES = (inserted_first, inserted, taken, degree_of, first_degrees, usual_degree)
