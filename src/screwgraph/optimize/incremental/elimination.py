"""Affected cliques are unmade, and made anew from factors and from what is left below; see `backends.llvm.loops`."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.loops import Ints, Reals, behind
from screwgraph.optimize.incremental.dense import factored_front
from screwgraph.optimize.incremental.grouping import class_size, room_class
from screwgraph.optimize.incremental.records import (
    ABOVE,
    AFFECTED,
    ALL_DIM,
    ARGUMENTS,
    BAD,
    BLOCK,
    CHILD,
    CHOSEN,
    CLASSES,
    CLIQUE,
    CLQ,
    COUNT,
    DATA,
    DIM,
    FAC,
    FACTORS,
    FIRST,
    FOLLOWING,
    FREE_CLIQUE,
    FRONTALS,
    GROUP,
    GROUPS,
    GRP,
    IDENTITY,
    INC,
    KIND,
    LENGTH,
    LOC,
    LOCAL,
    MADE,
    MAKER,
    NEXT,
    OF,
    ORPHANS,
    OWN,
    OWN_DIM,
    PARENT,
    PLACE,
    PREV,
    SIZE,
    SOLVED,
    START,
    TOPS,
    UNKNOWNS,
    USED_CLIQUES,
    USED_POOL,
    VAR,
    WHERE,
    WHO,
    F,
    M,
)


def linked(C: Ints, c: int, parent: int) -> None:
    """Put a clique below another one."""
    first = C[parent * CLQ + CHILD]
    C[c * CLQ + PARENT] = parent
    C[c * CLQ + NEXT] = first
    C[c * CLQ + PREV] = -1
    if first >= 0:
        C[first * CLQ + PREV] = c
    C[parent * CLQ + CHILD] = c


def unmade(V: Ints, C: Ints, S: Ints, pool: Reals, cliques: Ints) -> None:
    """Give back the memory of affected cliques."""
    for q in range(S[AFFECTED]):
        c = cliques[q]
        for a in range(C[c * CLQ + FRONTALS]):
            V[int(pool[C[c * CLQ + BLOCK] + a]) * VAR + CLIQUE] = -1
        if C[c * CLQ + PARENT] == 0:
            before = C[c * CLQ + PREV]
            after = C[c * CLQ + NEXT]
            if before >= 0:
                C[before * CLQ + NEXT] = after
            else:
                C[CHILD] = after
            if after >= 0:
                C[after * CLQ + PREV] = before
        kind = CLASSES + C[c * CLQ + KIND]
        pool[C[c * CLQ + BLOCK]] = float(S[kind])
        S[kind] = C[c * CLQ + BLOCK]
        C[c * CLQ + NEXT] = S[FREE_CLIQUE]
        C[c * CLQ + CHILD] = -1
        S[FREE_CLIQUE] = c


def block_of(S: Ints, pool: Reals, kind: int) -> int:
    """Return a block of a class."""
    block = S[CLASSES + kind]
    if block >= 0:
        S[CLASSES + kind] = int(pool[block])
    else:
        block = S[USED_POOL]
        S[USED_POOL] = block + class_size(kind)
    return block


def made(V: Ints, C: Ints, L: Ints, S: Ints, W: Ints, G: Ints, pool: Reals, order: Ints, orphans: Ints) -> None:
    """Make cliques, roots first, with the lists of their unknowns; orphans get their new parents."""
    for g in range(S[GROUPS]):
        c = S[FREE_CLIQUE]
        if c >= 0:
            S[FREE_CLIQUE] = C[c * CLQ + NEXT]
        else:
            c = S[USED_CLIQUES]
            S[USED_CLIQUES] = c + 1
        size = G[g * GRP + ALL_DIM]
        kind = room_class(G[g * GRP + UNKNOWNS] + (size + 1) * size)
        block = block_of(S, pool, kind)
        C[c * CLQ + CHILD] = -1
        C[c * CLQ + KIND] = kind
        C[c * CLQ + BLOCK] = block
        C[c * CLQ + FRONTALS] = 0
        C[c * CLQ + COUNT] = G[g * GRP + UNKNOWNS]
        C[c * CLQ + F] = G[g * GRP + OWN_DIM]
        C[c * CLQ + M] = size
        C[c * CLQ + SOLVED] = 0
        G[g * GRP + IDENTITY] = c
        above = G[g * GRP + ABOVE]
        if above >= 0:
            linked(C, c, G[above * GRP + IDENTITY])
        else:
            linked(C, c, 0)
        v = G[g * GRP + MAKER]
        own = G[g * GRP + OWN]
        for a in range(L[v * LOC + LENGTH]):
            u = W[L[v * LOC + START] + a]
            pool[block + own + a] = float(L[u * LOC + WHO])
    for place in range(S[CHOSEN]):
        k = order[place]
        g = L[k * LOC + GROUP]
        c = G[g * GRP + IDENTITY]
        v = L[k * LOC + WHO]
        V[v * VAR + CLIQUE] = c
        pool[C[c * CLQ + BLOCK] + C[c * CLQ + FRONTALS]] = float(v)
        C[c * CLQ + FRONTALS] = C[c * CLQ + FRONTALS] + 1
    for o in range(S[ORPHANS]):
        c = orphans[o]
        block = C[c * CLQ + BLOCK]
        lowest = -1
        for a in range(C[c * CLQ + FRONTALS], C[c * CLQ + COUNT]):
            k = V[int(pool[block + a]) * VAR + LOCAL]
            if lowest < 0 or L[k * LOC + PLACE] < L[lowest * LOC + PLACE]:
                lowest = k
        linked(C, c, G[L[lowest * LOC + GROUP] * GRP + IDENTITY])


def shared_out(V: Ints, L: Ints, S: Ints, G: Ints, A: Ints, K: Ints, tops: Ints) -> None:
    """Give each factor to the clique of the first of its unknowns."""
    for t in range(S[TOPS]):
        f = tops[t]
        lowest = -1
        for a in range(A[f * FAC + ARGUMENTS]):
            k = V[K[(A[f * FAC + FIRST] + a) * INC + OF] * VAR + LOCAL]
            if lowest < 0 or L[k * LOC + PLACE] < L[lowest * LOC + PLACE]:
                lowest = k
        g = L[lowest * LOC + GROUP]
        A[f * FAC + FOLLOWING] = G[g * GRP + FACTORS]
        G[g * GRP + FACTORS] = f


def factor_added(V: Ints, A: Ints, K: Ints, data: Reals, front: Reals, size: int, f: int) -> None:
    """Add a factor's J'J and J'r, which stand as a front, to a clique's."""
    first = A[f * FAC + FIRST]
    count = A[f * FAC + ARGUMENTS]
    k = A[f * FAC + SIZE]
    own = behind(data, A[f * FAC + DATA])
    column = 0
    for b in range(count):
        v = K[(first + b) * INC + OF]
        at = V[v * VAR + WHERE]
        for j in range(V[v * VAR + DIM]):
            source = behind(own, (column + j) * (k + 1))
            J = at + j
            front[J * (size + 1) + size] = front[J * (size + 1) + size] + source[k]
            row = column
            for a in range(b, count):
                u = K[(first + a) * INC + OF]
                to = V[u * VAR + WHERE]
                start = 0
                if a == b:
                    start = j
                if to >= at:
                    for i in range(start, V[u * VAR + DIM]):
                        front[J * (size + 1) + to + i] = front[J * (size + 1) + to + i] + source[row + i]
                else:
                    for i in range(start, V[u * VAR + DIM]):
                        front[(to + i) * (size + 1) + J] = front[(to + i) * (size + 1) + J] + source[row + i]
                row = row + V[u * VAR + DIM]
        column = column + V[v * VAR + DIM]


def child_added(V: Ints, C: Ints, pool: Reals, front: Reals, size: int, c: int) -> None:
    """Add what is left of a clique below."""
    block = C[c * CLQ + BLOCK]
    count = C[c * CLQ + COUNT]
    m = C[c * CLQ + M]
    below = behind(pool, block + count)
    column = C[c * CLQ + F]
    for b in range(C[c * CLQ + FRONTALS], count):
        v = int(pool[block + b])
        at = V[v * VAR + WHERE]
        width = V[v * VAR + DIM]
        for j in range(width):
            J = (at + j) * (size + 1)
            own = (column + j) * (m + 1)
            front[J + size] = front[J + size] + below[own + m]
            for i in range(j, width):
                front[J + at + i] = front[J + at + i] + below[own + column + i]
        row = column + width
        for a in range(b + 1, count):
            u = int(pool[block + a])
            to = V[u * VAR + WHERE]
            height = V[u * VAR + DIM]
            if to > at:
                for j in range(width):
                    target = (at + j) * (size + 1) + to
                    own = (column + j) * (m + 1) + row
                    for i in range(height):
                        front[target + i] = front[target + i] + below[own + i]
            else:
                for j in range(width):
                    target = to * (size + 1) + at + j
                    own = (column + j) * (m + 1) + row
                    for i in range(height):
                        front[target + i * (size + 1)] = front[target + i * (size + 1)] + below[own + i]
            row = row + height
        column = column + width


def eliminated(V: Ints, C: Ints, A: Ints, K: Ints, S: Ints, G: Ints, pool: Reals, data: Reals, tiny: float) -> int:
    """Factor the new cliques, leaves first; return 1, or 0 where an unknown is not determined."""
    S[MADE] = 0
    for back in range(S[GROUPS]):
        g = S[GROUPS] - 1 - back
        c = G[g * GRP + IDENTITY]
        block = C[c * CLQ + BLOCK]
        count = C[c * CLQ + COUNT]
        size = C[c * CLQ + M]
        front = behind(pool, block + count)
        for i in range((size + 1) * size):
            front[i] = 0.0
        at = 0
        for a in range(count):
            v = int(pool[block + a])
            V[v * VAR + WHERE] = at
            at = at + V[v * VAR + DIM]
        f = G[g * GRP + FACTORS]
        while f >= 0:
            factor_added(V, A, K, data, front, size, f)
            f = A[f * FAC + FOLLOWING]
        below = C[c * CLQ + CHILD]
        while below >= 0:
            child_added(V, C, pool, front, size, below)
            below = C[below * CLQ + NEXT]
        bad = factored_front(front, C[c * CLQ + F], size, tiny)
        if bad >= 0:
            at = 0
            for a in range(count):
                v = int(pool[block + a])
                if at <= bad:
                    S[BAD] = v
                at = at + V[v * VAR + DIM]
            return 0
        S[MADE] = S[MADE] + 1
    return 1


ELIMINATION = (linked, unmade, block_of, made, shared_out, factor_added, child_added, eliminated)
