"""Gaussian elimination, one scalar unknown at a time, on equations whose coefficients are symbolic.

Each unknown is expressed by unknowns that are eliminated later. Which equation serves is decided
here and now (a static pivot): +-1 first, then constants, then values of one sign over all random
states; an unknown that only offers pivots that may vanish waits until later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.elimination.pivot import MAY_VANISH, Candidate, is_foreign, pivot_class
from screwgraph.graph import Column, Row, is_zero
from screwgraph.tape import Number, reciprocal


@dataclass(frozen=True, eq=False)
class Step:
    """One elimination: `column` = sum of terms[c] * c + constant, by equation `row`.

    `group` numbers the element of the order that asked for it; `touched` are the unknowns of all equations
    that held `column`; `fill_in` are the (equation, unknown) pairs that the step made nonzero;
    `original` tells whether the equation was still as its factor gave it.
    """

    column: Column
    group: int
    terms: Mapping[Column, Number]
    constant: Number
    pivot: Number
    row: Row
    original: bool
    touched: frozenset[Column]
    fill_in: tuple[tuple[Row, Column], ...]


@dataclass(frozen=True, eq=False)
class Elimination:
    """The steps taken, and the equations that are left; those of no unknown say that a constant is zero."""

    steps: tuple[Step, ...]
    remaining: tuple[Row, ...]
    undetermined: tuple[Column, ...]
    delayed: tuple[Column, ...]

    def solve(self, values: Mapping[Column, Number] | None = None) -> dict[Column, Number]:
        """Substitute back, last step first; `values` gives unknowns that were not eliminated."""
        solution = dict(values or {})
        for step in reversed(self.steps):
            value = step.constant
            for column, coefficient in step.terms.items():
                value = value + coefficient * solution[column]
            solution[step.column] = value
        return solution


class System:
    """Equations under elimination: mutable, and private to one call of `eliminate_rows`."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.origin = list(rows)
        self.terms: list[dict[Column, Number]] = [dict(row.terms) for row in rows]
        self.constants: list[Number] = [row.constant for row in rows]
        self.changed = [False] * len(rows)
        self.used = [False] * len(rows)
        self.rows_of: dict[Column, set[int]] = {}
        for i, row in enumerate(rows):
            for column in row.terms:
                self.rows_of.setdefault(column, set()).add(i)

    def candidates(self, column: Column) -> list[Candidate]:
        """Return the equations that could express an unknown, those of the best class only."""
        offers = [
            Candidate(
                pivot_class(self.terms[i][column], column, self.origin[i], self.terms[i]),
                is_foreign(column, self.origin[i]),
                (len(self.terms[i]) - 1) * (len(self.rows_of[column]) - 1),
                len(self.terms[i]),
                i,
                column,
            )
            for i in self.rows_of.get(column, ())
        ]
        best = min((o.pivot_class for o in offers), default=None)
        return [o for o in offers if o.pivot_class == best]

    def eliminate(self, column: Column, pivot_row: int, group: int) -> Step:
        """Express `column` by one equation and take it out of all others."""
        terms = self.terms[pivot_row]
        pivot = terms[column]
        factor = -reciprocal(pivot)
        expression = {c: a * factor for c, a in terms.items() if c != column}
        constant = self.constants[pivot_row] * factor
        touched = frozenset(c for i in self.rows_of[column] for c in self.terms[i] if c != column)
        self._retire(pivot_row)
        fill_in: list[tuple[Row, Column]] = []
        for i in sorted(self.rows_of[column]):
            fill_in += [(self.origin[i], c) for c in self._substitute(i, column, expression, constant)]
        del self.rows_of[column]
        return Step(
            column,
            group,
            expression,
            constant,
            pivot,
            self.origin[pivot_row],
            not self.changed[pivot_row],
            touched,
            tuple(fill_in),
        )

    def remaining(self) -> tuple[Row, ...]:
        """Return the equations that served as no pivot, as they stand now."""
        return tuple(
            Row(self.terms[i], self.constants[i], row.factor, row.number)
            for i, row in enumerate(self.origin)
            if not self.used[i]
        )

    def _retire(self, row: int) -> None:
        self.used[row] = True
        for c in self.terms[row]:
            self.rows_of[c].discard(row)

    def _substitute(
        self, row: int, column: Column, expression: Mapping[Column, Number], constant: Number
    ) -> list[Column]:
        """Replace `column` in an equation; return the unknowns that are new to it."""
        terms, new = self.terms[row], []
        factor = terms.pop(column)
        self.changed[row] = True
        for c, coefficient in expression.items():
            old = terms.get(c)
            value = coefficient * factor if old is None else old + coefficient * factor
            if is_zero(value):
                terms.pop(c, None)
                self.rows_of[c].discard(row)
                continue
            if old is None:
                new.append(c)
                self.rows_of[c].add(row)
            terms[c] = value
        self.constants[row] = self.constants[row] + constant * factor
        return new


def eliminate_rows(rows: Sequence[Row], order: Iterable[Sequence[Column]]) -> Elimination:
    """Eliminate groups of unknowns in order; inside a group, whichever is cheapest next.

    Unknowns of `rows` that the order does not name stay in the remaining equations.
    """
    system = System(rows)
    steps: list[Step] = []
    waiting: list[tuple[Column, int]] = []
    undetermined: list[Column] = []
    delayed: list[Column] = []
    for group, columns in enumerate(order):
        waiting += [(column, group) for column in columns]
        stuck = _eliminate_while_safe(system, waiting, steps, undetermined)
        delayed += [column for column, g in stuck if g == group]
        waiting = stuck
    while waiting:
        _eliminate_boldest(system, waiting, steps)
        waiting = _eliminate_while_safe(system, waiting, steps, undetermined)
    return Elimination(tuple(steps), system.remaining(), tuple(undetermined), tuple(delayed))


def _eliminate_while_safe(
    system: System, waiting: list[tuple[Column, int]], steps: list[Step], undetermined: list[Column]
) -> list[tuple[Column, int]]:
    """Eliminate all that have a pivot that cannot vanish; return those that have to wait."""
    groups = dict(waiting)
    offers = {column: system.candidates(column) for column in groups}
    while offers:
        for column in [c for c, o in offers.items() if not o]:
            undetermined.append(column)
            del offers[column], groups[column]
        best = min((o for found in offers.values() for o in found), key=Candidate.preference, default=None)
        if best is None or best.pivot_class >= MAY_VANISH:
            break
        step = system.eliminate(best.column, best.row, groups.pop(best.column))
        steps.append(step)
        del offers[best.column]
        for column in offers:
            if column in step.touched:
                offers[column] = system.candidates(column)
    return list(groups.items())


def _eliminate_boldest(system: System, waiting: list[tuple[Column, int]], steps: list[Step]) -> None:
    """Every pivot left may vanish at some state: take the one that is farthest from zero."""
    offers = [o for column, _ in waiting for o in system.candidates(column)]
    best = min(offers, key=lambda o: (o.pivot_class, o.cost, o.row))
    steps.append(system.eliminate(best.column, best.row, dict(waiting)[best.column]))
    waiting[:] = [(c, g) for c, g in waiting if c != best.column]
