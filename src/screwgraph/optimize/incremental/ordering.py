"""In which order affected unknowns are eliminated anew; see `backends.llvm.loops`.

Approximate minimum degree on the quotient graph: Amestoy, Davis, Duff, An approximate minimum degree ordering algorithm
(1996). Unknowns that are late come last: Kaess et al., iSAM2 (2012), section 4. Memory is given from outside; a
negative result asks for more.
"""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.loops import Ints
from screwgraph.optimize.incremental.degrees import LEAST, first_degrees, inserted, inserted_first, taken, usual_degree
from screwgraph.optimize.incremental.records import (
    ALIVE,
    BEGIN,
    CHOSEN,
    DEGREE,
    EARLIER,
    ELE,
    ELEMENTS,
    LENGTH,
    LOC,
    NEED,
    PLACE,
    START,
    TAG,
    TAGS,
    WEIGHED,
    WEIGHT,
    WIDTH,
)


def ordered(
    V: Ints, L: Ints, S: Ints, E: Ints, W: Ints, N: Ints, B: Ints, order: Ints, used: int, room: int, limit: int
) -> int:
    """Order the marked unknowns, with the front of each in W; return how much of W is used, or -1."""
    m = S[CHOSEN]
    new = S[NEED]
    floor = usual_degree(L, E, N, m)
    for d in range(m + LEAST + 1):
        B[2 * d] = -1
        B[2 * d + 1] = -1
    first_degrees(V, L, E, N, B, m, 0, limit, floor)
    late = 0
    least = 0
    tag = 1
    for place in range(m):
        while least < m + LEAST and B[2 * least] < 0:
            least = least + 1
        if B[2 * least] < 0 and late == 0:
            late = 1
            first_degrees(V, L, E, N, B, m, 1, limit, floor)
            least = 0
            while B[2 * least] < 0:
                least = least + 1
        v = B[2 * least]
        taken(L, B, v)
        tag = tag + 1
        begin = used
        L[v * LOC + TAG] = tag
        node = L[v * LOC + ELEMENTS]
        while node >= 0:
            e = N[2 * node]
            if E[e * ELE + ALIVE] == 1:
                E[e * ELE + ALIVE] = 0
                if used + E[e * ELE + WIDTH] > room:
                    return -1
                for a in range(E[e * ELE + BEGIN], E[e * ELE + BEGIN] + E[e * ELE + WIDTH]):
                    u = W[a]
                    if L[u * LOC + TAG] != tag:
                        L[u * LOC + TAG] = tag
                        W[used] = u
                        used = used + 1
            node = N[2 * node + 1]
        order[place] = v
        L[v * LOC + PLACE] = place
        L[v * LOC + START] = begin
        L[v * LOC + LENGTH] = used - begin
        width = used - begin
        E[new * ELE + BEGIN] = begin
        E[new * ELE + WIDTH] = width
        E[new * ELE + ALIVE] = 1
        E[new * ELE + WEIGHED] = 0
        for a in range(begin, used):
            u = W[a]
            node = L[u * LOC + ELEMENTS]
            kept = -1
            spare = -1
            while node >= 0:
                following = N[2 * node + 1]
                e = N[2 * node]
                if E[e * ELE + ALIVE] == 1:
                    N[2 * node + 1] = kept
                    kept = node
                    if E[e * ELE + WEIGHED] != tag:
                        E[e * ELE + WEIGHED] = tag
                        E[e * ELE + WEIGHT] = E[e * ELE + WIDTH]
                    E[e * ELE + WEIGHT] = E[e * ELE + WEIGHT] - 1
                else:
                    spare = node
                node = following
            N[2 * spare] = new
            N[2 * spare + 1] = kept
            L[u * LOC + ELEMENTS] = spare
        for a in range(begin, used):
            u = W[a]
            degree = width - 1
            node = L[u * LOC + ELEMENTS]
            while node >= 0:
                e = N[2 * node]
                if e != new:
                    degree = degree + E[e * ELE + WEIGHT]
                node = N[2 * node + 1]
            if degree > m - place - 2:
                degree = m - place - 2
            if L[u * LOC + EARLIER] != -2:
                taken(L, B, u)
                if N[2 * L[u * LOC + ELEMENTS] + 1] < 0:
                    inserted_first(L, B, u, floor)
                else:
                    inserted(L, B, u, degree, floor)
                if L[u * LOC + DEGREE] < least:
                    least = L[u * LOC + DEGREE]
        new = new + 1
    S[TAGS] = tag
    return used


ORDERING = (ordered,)
