"""Symmetric elimination: an unknown together with its multiplier, by one pivot [[h, 1], [1, 0]].

An acceleration's multiplier is the wrench that its law transmits. With the unknown's law x = c'y + ..., and the balance
of its multiplier f = b'y + h x + ..., what the pair adds to the equations of the others is e c' + c e' with
e = b + (h / 2) c: a symmetric matrix, of which one half is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.system import Step, System
from screwgraph.graph import Column, Role
from screwgraph.tape import Number, Scalar, is_zero, reciprocal

SAME = 2e-15
"""Constants that agree this well, relatively, are equal."""


@dataclass(frozen=True)
class Pair:
    """An unknown, its multiplier, and the numbers of their equations: the unknown's law, the multiplier's balance."""

    unknown: Column
    multiplier: Column
    law: int
    balance: int


def eliminate_pairs(system: System, group: Group, waiting: dict[Column, int], steps: list[Step]) -> None:
    """Eliminate all pairs of a group, those with the fewest other unknowns first; they wait no longer."""
    pairs = list(_pairs(system, group.columns))
    while pairs:
        best = min(pairs, key=lambda p: (len(system.terms[p.law]) * len(system.terms[p.balance]), p.unknown[1]))
        steps += _eliminate(system, best, waiting.pop(best.multiplier), waiting.pop(best.unknown))
        pairs = list(_pairs(system, [c for c in group.columns if c in waiting]))


def _pairs(system: System, columns: Iterable[Column]) -> Iterable[Pair]:
    """Yield the pairs whose equations have the form that the pivot needs."""
    columns = list(columns)
    rows = {c: row for c in columns if (row := system.own_row(c)) is not None}
    for f in (c for c in rows if c[0].role is Role.WRENCH):
        for x in (c for c in rows if c[0] != f[0] and c[1] == f[1]):
            law, balance = rows[x], rows[f]
            units = _is_one(system.terms[law][x]) and _is_one(system.terms[balance][f])
            if law != balance and units and f not in system.terms[law]:
                yield Pair(x, f, law, balance)


def _is_one(value: Number) -> bool:
    """Whether a coefficient is the constant 1 or -1."""
    return not isinstance(value, Scalar) and abs(value) == 1.0


def _eliminate(system: System, pair: Pair, *groups: int) -> tuple[Step, Step]:
    x, f = pair.unknown, pair.multiplier
    c, gamma = _solve_for_unknown(system, pair.law, x)
    b, beta = _solve_for_unknown(system, pair.balance, f)
    h = b.pop(x, 0.0)
    # x = c'y + gamma, f = b'y + h x + beta: r_x x + r_f f of another equation becomes (r_x + h r_f) c'y + r_f b'y + ...
    e = {k: b.get(k, 0.0) + 0.5 * h * c.get(k, 0.0) for k in {**b, **c}}
    others = sorted((system.rows_of[x] | system.rows_of[f]) - {pair.law, pair.balance})
    touched = frozenset(k for i in others for k in system.terms[i]) | e.keys()
    origins = [(system.origin[i], system.changed[i], system.terms[i]) for i in (pair.balance, pair.law)]
    for column, row in ((f, pair.balance), (x, pair.law)):
        system.retire(column, row)
    added = _products(c, e)
    fill_in = []
    for i in others:
        terms = system.terms[i]
        r_x, r_f = terms.pop(x, 0.0), terms.pop(f, 0.0)
        # Variable k's own equation has r_x = +-b_k and r_f = +-c_k: its update is row k of e c' + c e', with that sign.
        own = _own_variable(c, b, r_x, r_f)
        along = r_x + 0.5 * h * r_f
        update = {k: added(own, k) if own else along * c.get(k, 0.0) + r_f * e[k] for k in e}
        sign = 1.0 if own is None or (_equal(r_f, c.get(own, 0.0)) and _equal(r_x, b.get(own, 0.0))) else -1.0
        fill_in += [(system.origin[i], k) for k in system.add(i, {k: sign * u for k, u in update.items()})]
        system.constants[i] = system.constants[i] + r_x * gamma + r_f * (beta + h * gamma)
    for column in (x, f):
        del system.rows_of[column]
    solved = ((f, {**b, **({} if is_zero(h) else {x: h})}, beta), (x, c, gamma))
    first, second = (
        Step(column, group, terms, constant, pivots[column], row, not changed, touched - {column}, tuple(filled))
        for (column, terms, constant), group, (row, changed, pivots), filled in zip(
            solved, groups, origins, (fill_in, ()), strict=True
        )
    )
    return first, second


def _solve_for_unknown(system: System, row: int, column: Column) -> tuple[dict[Column, Number], Number]:
    """Return an unknown as its equation gives it: coefficients of others, and a constant."""
    terms = system.terms[row]
    factor = -reciprocal(terms[column])
    return {k: a * factor for k, a in terms.items() if k != column}, system.constants[row] * factor


def _products(c: Mapping[Column, Number], e: Mapping[Column, Number]) -> Callable[[Column, Column], Number]:
    """Return the entries of e c' + c e', each computed once for itself and its mirror image."""
    known: dict[frozenset[Column], Number] = {}

    def entry(j: Column, k: Column) -> Number:
        both = frozenset((j, k))
        if both not in known:
            first = e[j] * c.get(k, 0.0)
            known[both] = first + (first if j == k else c.get(j, 0.0) * e[k])
        return known[both]

    return entry


def _own_variable(c: Mapping[Column, Number], b: Mapping[Column, Number], r_x: Number, r_f: Number) -> Column | None:
    """Return the variable whose couplings to the pair are those of an equation, up to one sign for both."""
    for k in {**c, **b}:
        for sign in (1.0, -1.0):
            if _equal(r_f, sign * c.get(k, 0.0)) and _equal(r_x, sign * b.get(k, 0.0)):
                return k
    return None


def _equal(a: Number, b: Number) -> bool:
    """Whether two numbers are one; the tape has one scalar of each value."""
    if isinstance(a, Scalar) or isinstance(b, Scalar):
        return a is b
    return abs(a - b) <= SAME * max(abs(a), abs(b))
