"""Which factors touch an unknown: lists that go both ways; see `backends.llvm.loops`."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.loops import Ints
from screwgraph.optimize.incremental.records import (
    AFTER,
    ARGUMENTS,
    BEFORE,
    BENT,
    BY,
    DATA,
    FAC,
    FIRST,
    GATHERED,
    HEAD,
    INC,
    OF,
    PASS,
    SEEN,
    SIZE,
    VAR,
)


def factors_made(A: Ints, begin: int, count: int, incidence: int, width: int, data: int, size: int) -> None:
    """Make factors of equal size, whose incidences and numbers stand one after the other."""
    for t in range(count):
        f = begin + t
        A[f * FAC + FIRST] = incidence + width * t
        A[f * FAC + ARGUMENTS] = width
        A[f * FAC + DATA] = data + size * (size + 1) * t
        A[f * FAC + SIZE] = size


def factors_linked(V: Ints, A: Ints, K: Ints, factors: Ints, unknowns: Ints, count: int, bent: int) -> None:
    """Link factors to their unknowns, which stand one after the other; `bent` ones are not linear."""
    k = 0
    for t in range(count):
        f = factors[t]
        first = A[f * FAC + FIRST]
        for a in range(A[f * FAC + ARGUMENTS]):
            i = first + a
            v = unknowns[k]
            k = k + 1
            head = V[v * VAR + HEAD]
            V[v * VAR + BENT] = V[v * VAR + BENT] + bent
            K[i * INC + OF] = v
            K[i * INC + BY] = f
            K[i * INC + AFTER] = head
            K[i * INC + BEFORE] = -1
            if head >= 0:
                K[head * INC + BEFORE] = i
            V[v * VAR + HEAD] = i


def factors_unlinked(V: Ints, A: Ints, K: Ints, factors: Ints, count: int, bent: int) -> None:
    """Unlink factors from their unknowns."""
    for t in range(count):
        f = factors[t]
        first = A[f * FAC + FIRST]
        for a in range(A[f * FAC + ARGUMENTS]):
            i = first + a
            before = K[i * INC + BEFORE]
            after = K[i * INC + AFTER]
            v = K[i * INC + OF]
            V[v * VAR + BENT] = V[v * VAR + BENT] - bent
            if before >= 0:
                K[before * INC + AFTER] = after
            else:
                V[v * VAR + HEAD] = after
            if after >= 0:
                K[after * INC + BEFORE] = before


def factors_of(V: Ints, A: Ints, K: Ints, S: Ints, unknowns: Ints, count: int, found: Ints) -> int:
    """List the factors that touch unknowns, each once; return how many there are."""
    S[PASS] = S[PASS] + 1
    now = S[PASS]
    n = 0
    for t in range(count):
        i = V[unknowns[t] * VAR + HEAD]
        while i >= 0:
            f = K[i * INC + BY]
            if A[f * FAC + GATHERED] != now:
                A[f * FAC + GATHERED] = now
                found[n] = f
                n = n + 1
            i = K[i * INC + AFTER]
    return n


def unknowns_of(V: Ints, A: Ints, K: Ints, S: Ints, factors: Ints, count: int, found: Ints) -> int:
    """List the unknowns of factors, each once; return how many there are."""
    S[PASS] = S[PASS] + 1
    now = S[PASS]
    n = 0
    for t in range(count):
        f = factors[t]
        for a in range(A[f * FAC + ARGUMENTS]):
            v = K[(A[f * FAC + FIRST] + a) * INC + OF]
            if V[v * VAR + SEEN] != now:
                V[v * VAR + SEEN] = now
                found[n] = v
                n = n + 1
    return n


LINKING = (factors_made, factors_linked, factors_unlinked, factors_of, unknowns_of)
