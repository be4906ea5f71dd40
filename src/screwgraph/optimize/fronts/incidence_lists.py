"""Which factors touch an unknown: lists that go both ways; see `compiler.kernels`."""

from __future__ import annotations

from screwgraph.compiler.kernels import Ints, Table
from screwgraph.optimize.fronts.tree_records import Counters, Factor, Incidence, Unknown


def make_factors(
    factors: Table[Factor], begin: int, count: int, incidence: int, width: int, data: int, size: int
) -> None:
    """Make factors of equal size, whose incidences and numbers stand one after the other."""
    for t in range(count):
        f = begin + t
        factors[f].incidence = incidence + width * t
        factors[f].arity = width
        factors[f].numbers = data + size * (size + 1) * t
        factors[f].dim = size


def link_factors(
    unknowns: Table[Unknown],
    factors: Table[Factor],
    incidences: Table[Incidence],
    chosen: Ints,
    touched: Ints,
    count: int,
    bent: int,
) -> None:
    """Link factors to their unknowns, which stand one after the other; `bent` ones are not linear."""
    k = 0
    for t in range(count):
        f = chosen[t]
        first = factors[f].incidence
        for a in range(factors[f].arity):
            i = first + a
            v = touched[k]
            k = k + 1
            head = unknowns[v].incidence
            unknowns[v].nonlinear = unknowns[v].nonlinear + bent
            incidences[i].unknown = v
            incidences[i].factor = f
            incidences[i].next = head
            incidences[i].previous = -1
            if head >= 0:
                incidences[head].previous = i
            unknowns[v].incidence = i


def unlink_factors(
    unknowns: Table[Unknown], factors: Table[Factor], incidences: Table[Incidence], chosen: Ints, count: int, bent: int
) -> None:
    """Unlink factors from their unknowns."""
    for t in range(count):
        f = chosen[t]
        first = factors[f].incidence
        for a in range(factors[f].arity):
            i = first + a
            before = incidences[i].previous
            after = incidences[i].next
            v = incidences[i].unknown
            unknowns[v].nonlinear = unknowns[v].nonlinear - bent
            if before >= 0:
                incidences[before].next = after
            else:
                unknowns[v].incidence = after
            if after >= 0:
                incidences[after].previous = before


def list_factors(
    unknowns: Table[Unknown],
    factors: Table[Factor],
    incidences: Table[Incidence],
    counters: Counters,
    touched: Ints,
    count: int,
    found: Ints,
) -> int:
    """List the factors that touch unknowns, each once; return how many there are."""
    counters.mark = counters.mark + 1
    now = counters.mark
    n = 0
    for t in range(count):
        i = unknowns[touched[t]].incidence
        while i >= 0:
            f = incidences[i].factor
            if factors[f].mark != now:
                factors[f].mark = now
                found[n] = f
                n = n + 1
            i = incidences[i].next
    return n


def list_unknowns(
    unknowns: Table[Unknown],
    factors: Table[Factor],
    incidences: Table[Incidence],
    counters: Counters,
    chosen: Ints,
    count: int,
    found: Ints,
) -> int:
    """List the unknowns of factors, each once; return how many there are."""
    counters.mark = counters.mark + 1
    now = counters.mark
    n = 0
    for t in range(count):
        f = chosen[t]
        for a in range(factors[f].arity):
            v = incidences[factors[f].incidence + a].unknown
            if unknowns[v].mark != now:
                unknowns[v].mark = now
                found[n] = v
                n = n + 1
    return n


LINKING = (make_factors, link_factors, unlink_factors, list_factors, list_unknowns)
