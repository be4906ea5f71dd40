"""Elimination of unknowns that no exact equation holds: QR, one column at a time, of those that hold only nearly.

Of all values of the unknown, the one with the least sum of squares is a function of the others. What it leaves of each
equation is orthogonal to the unknown's column (modified Gram-Schmidt, which is as stable as Householder's reflections
for least squares: Bjorck, 1967), and needs no square roots.
"""

from __future__ import annotations

from screwgraph.elimination.pivot import SINGULAR, usual_size
from screwgraph.elimination.system import Step, System
from screwgraph.graph import Column
from screwgraph.tape import Number, Scalar, dot, guard, is_zero, reciprocal


def eliminate_soft(system: System, column: Column, first: int, group: int) -> Step:
    """Express an unknown by the value that makes the weighted sum of squares least, and take it out of all equations.

    `first` is one of the equations that hold it, all of which hold only nearly.
    """
    numbers = sorted(system.rows_of[column])
    terms, alone = system.terms, len(numbers) == 1
    original = alone and not system.changed[first]
    touched = dict.fromkeys(c for i in numbers for c in terms[i] if c != column)
    for c in (*touched, column):
        system.lengths.setdefault(c, _length(system, c))
    weighted = [_weight(system, i) * terms[i][column] for i in numbers]
    pivot = _length(system, column)
    factor = -reciprocal(_guard_pivot(pivot, system.lengths[column]))
    sums = {c: dot(weighted, [terms[i].get(c, 0.0) for i in numbers]) for c in touched}
    expression = {c: a * factor for c, a in sums.items() if not is_zero(a)}
    constant = dot(weighted, [system.constants[i] for i in numbers]) * factor
    if alone:
        system.retire(column, first)
    left = sorted(system.rows_of[column])
    filled = [(system.origin[i], c) for i in left for c in system.substitute(i, column, expression, constant)]
    del system.rows_of[column]
    shared = () if alone else tuple(system.origin[i] for i in numbers)
    origin = system.origin[first]
    return Step(column, group, expression, constant, pivot, origin, original, frozenset(touched), tuple(filled), shared)


def _length(system: System, column: Column) -> Number:
    """Return the weighted sum of squares of an unknown's coefficients."""
    soft = sorted(i for i in system.rows_of[column] if system.weights[i] is not None)
    own = [system.terms[i][column] for i in soft]
    return dot([_weight(system, i) * a for i, a in zip(soft, own, strict=True)], own)


def _weight(system: System, row: int) -> float:
    return system.weights[row] or 0.0


def _guard_pivot(pivot: Number, before: Number) -> Number:
    """Return a column's sum of squares, no number where it vanished: beside its usual size, and what it was before."""
    if not isinstance(pivot, Scalar):
        return pivot
    safe = guard(pivot, SINGULAR**2 * usual_size(pivot))
    return safe if before is pivot else guard(safe, SINGULAR**2 * before)
