"""Solution from the roots down, where something has changed; see `backends.llvm.loops`."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.loops import Ints, Reals, behind
from screwgraph.optimize.incremental.records import (
    BENT,
    BLOCK,
    CHILD,
    CLIQUE,
    CLOCK,
    CLQ,
    COUNT,
    DIM,
    FRONTALS,
    FULL,
    LOST,
    NEXT,
    OFFSET,
    PARENT,
    SOLVED,
    STAMP,
    VAR,
    F,
    M,
)

LARGEST = 1e300
"""Directions beyond this are not finite."""


def stale(V: Ints, C: Ints, pool: Reals, c: int) -> int:
    """Tell whether a clique is new, or what it depends on has changed since it was solved."""
    then = C[c * CLQ + SOLVED]
    if then == 0:
        return 1
    block = C[c * CLQ + BLOCK]
    for a in range(C[c * CLQ + FRONTALS], C[c * CLQ + COUNT]):
        if V[int(pool[block + a]) * VAR + STAMP] > then:
            return 1
    return 0


def dot_of(a: Reals, b: Reals, n: int) -> float:
    """Return a'b."""
    total = 0.0
    for i in range(n):
        total = total + a[i] * b[i]
    return total


def solved_clique(V: Ints, C: Ints, S: Ints, pool: Reals, delta: Reals, x: Reals, c: int, threshold: float) -> int:
    """Solve for a clique's own unknowns; tell whether one of them changed by more than a threshold, else they stay."""
    block = C[c * CLQ + BLOCK]
    own = C[c * CLQ + FRONTALS]
    count = C[c * CLQ + COUNT]
    f = C[c * CLQ + F]
    m = C[c * CLQ + M]
    front = behind(pool, block + count)
    at = f
    for a in range(own, count):
        v = int(pool[block + a])
        for i in range(V[v * VAR + DIM]):
            x[at + i] = delta[V[v * VAR + OFFSET] + i]
        at = at + V[v * VAR + DIM]
    for j in range(f - 1, -1, -1):
        column = behind(front, j * (m + 1))
        rest = dot_of(behind(column, j + 1), behind(x, j + 1), m - j - 1)
        x[j] = -(column[m] + rest) / column[j]
    most = 0.0
    at = 0
    for a in range(own):
        v = int(pool[block + a])
        for i in range(V[v * VAR + DIM]):
            change = abs(x[at + i] - delta[V[v * VAR + OFFSET] + i])
            if not change <= most:
                most = change
        at = at + V[v * VAR + DIM]
    C[c * CLQ + SOLVED] = S[CLOCK]
    if most <= threshold:
        return 0
    at = 0
    for a in range(own):
        v = int(pool[block + a])
        for i in range(V[v * VAR + DIM]):
            delta[V[v * VAR + OFFSET] + i] = x[at + i]
        at = at + V[v * VAR + DIM]
        V[v * VAR + STAMP] = S[CLOCK]
    return 1


def renewed_clique(
    V: Ints, C: Ints, S: Ints, pool: Reals, delta: Reals, x: Reals, found: Ints, changed: int, c: int, threshold: float
) -> int:
    """Solve for a clique's own unknowns where that is due; return how many cliques changed."""
    if stale(V, C, pool, c) == 1:
        S[CLOCK] = S[CLOCK] + 1
        if solved_clique(V, C, S, pool, delta, x, c, threshold) == 1:
            found[changed] = c
            changed = changed + 1
    return changed


def solved_all(
    V: Ints, C: Ints, S: Ints, pool: Reals, delta: Reals, x: Reals, stack: Ints, found: Ints, threshold: float
) -> int:
    """Solve wherever it is due; return how many cliques changed, which are in `found`.

    Below cliques that were not solved since this was done last, nothing is due: they depend on all that those below do.
    """
    top = 0
    changed = 0
    since = S[FULL]
    c = C[CHILD]
    while c >= 0:
        stack[top] = c
        top = top + 1
        c = C[c * CLQ + NEXT]
    while top > 0:
        top = top - 1
        c = stack[top]
        changed = renewed_clique(V, C, S, pool, delta, x, found, changed, c, threshold)
        if C[c * CLQ + SOLVED] > since:
            c = C[c * CLQ + CHILD]
            while c >= 0:
                stack[top] = c
                top = top + 1
                c = C[c * CLQ + NEXT]
    S[FULL] = S[CLOCK]
    return changed


def solved_for(
    V: Ints, C: Ints, S: Ints, pool: Reals, delta: Reals, x: Reals, stack: Ints, found: Ints,
    wanted: Ints, n: int, threshold: float,
) -> int:  # fmt: skip
    """Solve for some unknowns only, and what they depend on; return how many cliques changed."""
    changed = 0
    for k in range(n):
        top = 0
        c = V[wanted[k] * VAR + CLIQUE]
        while c > 0:
            stack[top] = c
            top = top + 1
            c = C[c * CLQ + PARENT]
        while top > 0:
            top = top - 1
            c = stack[top]
            changed = renewed_clique(V, C, S, pool, delta, x, found, changed, c, threshold)
    return changed


def beyond(
    V: Ints, C: Ints, S: Ints, pool: Reals, delta: Reals, found: Ints, changed: int, out: Ints, limit: float
) -> int:
    """List the unknowns of changed cliques that are further than a limit from where their factors are linear."""
    count = 0
    S[LOST] = 0
    for k in range(changed):
        c = found[k]
        block = C[c * CLQ + BLOCK]
        for a in range(C[c * CLQ + FRONTALS]):
            v = int(pool[block + a])
            far = 0
            for i in range(V[v * VAR + DIM]):
                size = abs(delta[V[v * VAR + OFFSET] + i])
                if size > limit:
                    far = 1
                if not size <= LARGEST:
                    S[LOST] = 1
            if far == 1 and V[v * VAR + BENT] > 0:
                out[count] = v
                count = count + 1
    return count


SUBSTITUTION = (stale, dot_of, solved_clique, renewed_clique, solved_all, solved_for, beyond)
