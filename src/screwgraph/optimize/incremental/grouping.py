"""Ordered unknowns become cliques, and how much memory these need; see `backends.llvm.loops`."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.loops import Ints
from screwgraph.optimize.incremental.records import (
    ABOVE,
    ALL_DIM,
    CHOSEN,
    DIM,
    FACTORS,
    GROUP,
    GROUPS,
    GRP,
    IS_LATE,
    LATE,
    LENGTH,
    LOC,
    MAKER,
    NEED,
    OWN,
    OWN_DIM,
    PLACE,
    START,
    UNKNOWNS,
    VAR,
    WHO,
)

SMALL = 32
"""Directions of cliques that any unknown below may join: smaller ones cost more to visit than to compute."""
LOOSE = 8
"""Others may join where at most one in so many unknowns is not in their front: dense loops are faster by more."""


def room_class(size: int) -> int:
    """Return the class of blocks that a size fits in: four of them an octave, from 64 on."""
    octave = 64
    k = 0
    while octave * 2 < size:
        octave = octave * 2
        k = k + 4
    step = octave // 4
    while octave < size:
        octave = octave + step
        k = k + 1
    return k


def class_size(k: int) -> int:
    """Return how many numbers blocks of a class hold."""
    size = 64
    while k >= 4:
        size = size * 2
        k = k - 4
    return size + k * (size // 4)


def grouped(V: Ints, L: Ints, S: Ints, W: Ints, G: Ints, order: Ints, late: int) -> None:
    """Gather ordered unknowns into cliques, roots first: those whose fronts are nearly the clique above.

    Late unknowns are touched again soon, so that what joins their cliques is eliminated again soon: none may but those
    that have to. Relaxed supernodes: Ashcraft and Grimes, The influence of relaxed supernode partitions on the
    multifrontal method (1989).
    """
    m = S[CHOSEN]
    count = 0
    for back in range(m):
        v = order[m - 1 - back]
        begin = L[v * LOC + START]
        width = L[v * LOC + LENGTH]
        dim = V[L[v * LOC + WHO] * VAR + DIM]
        above = -1
        if width > 0:
            next_ = W[begin]
            for a in range(begin + 1, begin + width):
                if L[W[a] * LOC + PLACE] < L[next_ * LOC + PLACE]:
                    next_ = W[a]
            above = L[next_ * LOC + GROUP]
        is_late = 0
        if V[L[v * LOC + WHO] * VAR + LATE] == late:
            is_late = 1
        joins = 0
        if above >= 0:
            loose = G[above * GRP + UNKNOWNS] - width
            size = G[above * GRP + ALL_DIM] + dim
            if loose == 0 or (G[above * GRP + IS_LATE] == 0 and (loose * LOOSE <= width or size <= SMALL)):
                joins = 1
        if joins == 1:
            if is_late == 1:
                G[above * GRP + IS_LATE] = 1
            G[above * GRP + UNKNOWNS] = G[above * GRP + UNKNOWNS] + 1
            G[above * GRP + OWN] = G[above * GRP + OWN] + 1
            G[above * GRP + OWN_DIM] = G[above * GRP + OWN_DIM] + dim
            G[above * GRP + ALL_DIM] = G[above * GRP + ALL_DIM] + dim
            L[v * LOC + GROUP] = above
        else:
            all_dim = dim
            for a in range(begin, begin + width):
                all_dim = all_dim + V[L[W[a] * LOC + WHO] * VAR + DIM]
            G[count * GRP + MAKER] = v
            G[count * GRP + UNKNOWNS] = width + 1
            G[count * GRP + OWN] = 1
            G[count * GRP + OWN_DIM] = dim
            G[count * GRP + ALL_DIM] = all_dim
            G[count * GRP + ABOVE] = above
            G[count * GRP + FACTORS] = -1
            G[count * GRP + IS_LATE] = is_late
            L[v * LOC + GROUP] = count
            count = count + 1
    need = 0
    for g in range(count):
        M = G[g * GRP + ALL_DIM]
        need = need + class_size(room_class(G[g * GRP + UNKNOWNS] + (M + 1) * M))
    S[GROUPS] = count
    S[NEED] = need


GROUPING = (room_class, class_size, grouped)
