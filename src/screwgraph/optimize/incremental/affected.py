"""Which cliques are affected, and what stands together among their unknowns; see `backends.llvm.loops`."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.loops import Ints, Reals
from screwgraph.optimize.incremental.records import (
    AFFECTED,
    AFTER,
    ALIVE,
    ARGUMENTS,
    BEGIN,
    BLOCK,
    BY,
    CHILD,
    CHOSEN,
    CLIQUE,
    CLQ,
    COUNT,
    EARLIER,
    ELE,
    ELEMENTS,
    FAC,
    FIRST,
    FRONTALS,
    GATHERED,
    HEAD,
    INC,
    LOC,
    LOCAL,
    MARK,
    NEED,
    NEXT,
    OF,
    ORPHANS,
    PARENT,
    PASS,
    PLACE,
    SEEN,
    TAG,
    TOPS,
    VAR,
    WEIGHED,
    WHO,
    WIDTH,
)


def marked_unknown(V: Ints, L: Ints, S: Ints, v: int) -> None:
    """Add an unknown to those that are eliminated, or let it stand alone where no factor touches it any more."""
    k = S[CHOSEN]
    V[v * VAR + SEEN] = S[PASS]
    if V[v * VAR + HEAD] < 0:
        return
    S[CHOSEN] = k + 1
    V[v * VAR + LOCAL] = k
    L[k * LOC + WHO] = v
    L[k * LOC + ELEMENTS] = -1
    L[k * LOC + TAG] = 0
    L[k * LOC + PLACE] = -1
    L[k * LOC + EARLIER] = -2


def affected(V: Ints, C: Ints, L: Ints, S: Ints, pool: Reals, touched: Ints, count: int, cliques: Ints) -> None:
    """Mark the cliques between unknowns and the roots, and gather their unknowns."""
    S[PASS] = S[PASS] + 1
    S[CHOSEN] = 0
    S[AFFECTED] = 0
    now = S[PASS]
    for t in range(count):
        v = touched[t]
        if V[v * VAR + SEEN] != now:
            c = V[v * VAR + CLIQUE]
            if c < 0:
                marked_unknown(V, L, S, v)
            while c > 0 and C[c * CLQ + MARK] != now:
                C[c * CLQ + MARK] = now
                cliques[S[AFFECTED]] = c
                S[AFFECTED] = S[AFFECTED] + 1
                block = C[c * CLQ + BLOCK]
                for k in range(C[c * CLQ + FRONTALS]):
                    u = int(pool[block + k])
                    if V[u * VAR + SEEN] != now:
                        marked_unknown(V, L, S, u)
                c = C[c * CLQ + PARENT]


def joined_element(L: Ints, N: Ints, k: int, element: int, node: int) -> None:
    """Tell an unknown of an element."""
    N[2 * node] = element
    N[2 * node + 1] = L[k * LOC + ELEMENTS]
    L[k * LOC + ELEMENTS] = node


def gathered(
    V: Ints, C: Ints, A: Ints, K: Ints, L: Ints, S: Ints, E: Ints, W: Ints, N: Ints,
    pool: Reals, cliques: Ints, orphans: Ints, tops: Ints, room: int,
) -> int:  # fmt: skip
    """Make elements of factors among the marked unknowns, and of subtrees below them; return the memory used."""
    now = S[PASS]
    used = 0
    elements = 0
    S[ORPHANS] = 0
    S[TOPS] = 0
    for k in range(S[CHOSEN]):
        i = V[L[k * LOC + WHO] * VAR + HEAD]
        while i >= 0:
            f = K[i * INC + BY]
            i = K[i * INC + AFTER]
            if A[f * FAC + GATHERED] != now:
                A[f * FAC + GATHERED] = now
                first = A[f * FAC + FIRST]
                width = A[f * FAC + ARGUMENTS]
                if used + width > room:
                    return -1
                inside = 1
                for a in range(width):
                    u = K[(first + a) * INC + OF]
                    if V[u * VAR + SEEN] != now:
                        inside = 0
                        break
                    W[used + a] = V[u * VAR + LOCAL]
                if inside == 1:
                    tops[S[TOPS]] = f
                    S[TOPS] = S[TOPS] + 1
                    if width > 1:
                        E[elements * ELE + BEGIN] = used
                        E[elements * ELE + WIDTH] = width
                        elements = elements + 1
                        used = used + width
    for q in range(S[AFFECTED]):
        c = C[cliques[q] * CLQ + CHILD]
        while c >= 0:
            if C[c * CLQ + MARK] != now:
                orphans[S[ORPHANS]] = c
                S[ORPHANS] = S[ORPHANS] + 1
                block = C[c * CLQ + BLOCK]
                own = C[c * CLQ + FRONTALS]
                width = C[c * CLQ + COUNT] - own
                if used + width > room:
                    return -1
                for a in range(width):
                    u = int(pool[block + own + a])
                    W[used + a] = V[u * VAR + LOCAL]
                E[elements * ELE + BEGIN] = used
                E[elements * ELE + WIDTH] = width
                elements = elements + 1
                used = used + width
            c = C[c * CLQ + NEXT]
    if used > room:
        return -1
    node = 0
    for e in range(elements):
        E[e * ELE + ALIVE] = 1
        E[e * ELE + WEIGHED] = 0
        for a in range(E[e * ELE + WIDTH]):
            joined_element(L, N, W[E[e * ELE + BEGIN] + a], e, node)
            node = node + 1
    S[NEED] = elements
    return used


AFFECTED_CLIQUES = (marked_unknown, affected, joined_element, gathered)
