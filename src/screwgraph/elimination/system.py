"""Equations under elimination."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.elimination.pivot import NATURAL, Candidate, classify_pivot, is_non_partner, pivot_bound
from screwgraph.elimination.structural_pivots import Pairing
from screwgraph.graph import Column, Role, Row
from screwgraph.tape import Number, Scalar, guard, is_zero, reciprocal


@dataclass(frozen=True, eq=False)
class Step:
    """One elimination: `column` = sum of terms[c] * c + constant, by equation `row`.

    `group` numbers the element of the order that asked for it; `touched` are the unknowns of all equations
    that held `column`; `fill_in` are the (equation, unknown) pairs that the step made nonzero;
    `original` tells whether the equation was still as its factor gave it. `shared` are all equations that tell the
    unknown by least squares, where there are several: they stay.
    """

    __repr__ = one_line

    column: Column
    group: int
    terms: Mapping[Column, Number]
    constant: Number
    pivot: Number
    row: Row
    original: bool
    touched: frozenset[Column]
    fill_in: tuple[tuple[Row, Column], ...]
    shared: tuple[Row, ...] = ()


class System:
    """Equations under elimination: mutable, and private to one call of `eliminate_rows`.

    `going` are the unknowns to be eliminated, by default all.
    """

    def __init__(self, rows: Sequence[Row], going: Collection[Column] | None = None) -> None:
        self.origin = list(rows)
        self.terms: list[dict[Column, Number]] = [dict(row.terms) for row in rows]
        self.constants: list[Number] = [row.constant for row in rows]
        self.changed = [False] * len(rows)
        self.used = [False] * len(rows)
        self.weights = [row.factor.sigma[row.number] ** -2.0 if row.factor.sigma else None for row in rows]
        self.lengths: dict[Column, Number] = {}
        self.rows_of: dict[Column, set[int]] = {}
        for i, row in enumerate(rows):
            for column in row.terms:
                self.rows_of.setdefault(column, set()).add(i)
        self.pairing = Pairing(rows, self.rows_of.keys() if going is None else going)

    def copy(self) -> System:
        """Return equations of their own in the same state."""
        twin = copy(self)
        twin.terms = [dict(terms) for terms in self.terms]
        twin.constants, twin.changed, twin.used = list(self.constants), list(self.changed), list(self.used)
        twin.rows_of = {column: set(rows) for column, rows in self.rows_of.items()}
        twin.pairing, twin.lengths = self.pairing.copy(), dict(self.lengths)
        return twin

    def offers(self, column: Column, law: str | None = None) -> list[Candidate]:
        """Return the equations that could express an unknown.

        With a law, those of that law only, if there are any; of these, the one of the unknown's own body and component.
        With `PAIR` for a law, the one that pairs with it, if that holds it. Those that hold only nearly offer
        themselves, all at once, where no exact one is left: a sum of squares keeps its sign.
        """
        holding = self.rows_of.get(column, ())
        offers = [self._candidate(column, i) for i in holding if self.weights[i] is None]
        if holding and not offers:
            columns = set().union(*(self.terms[i] for i in holding))
            return [Candidate(NATURAL, False, (len(columns) - 1) * len(holding), len(columns), min(holding), column)]
        if law is None:
            return offers
        if law == PAIR:
            return [o for o in offers if pairs_with(self.origin[o.row], column)] or offers
        of_law = [o for o in offers if self.origin[o.row].factor.template.name == law]
        own = [o for o in of_law if pairs_with(self.origin[o.row], column)]
        return own or of_law or offers

    def _candidate(self, column: Column, i: int) -> Candidate:
        terms = self.terms[i]
        return Candidate(
            self.pivot_class(column, i),
            is_non_partner(column, self.origin[i]),
            (len(terms) - 1) * (len(self.rows_of[column]) - 1),
            len(terms),
            i,
            column,
        )

    def eliminate(self, column: Column, pivot_row: int, group: int, *, unsafe: bool = False) -> Step:
        """Express `column` by one equation and take it out of all others; an `unsafe` pivot is guarded more widely."""
        terms = self.terms[pivot_row]
        pivot = terms[column]
        factor = -reciprocal(self._guard_pivot(column, pivot_row, unsafe))
        expression = {c: a * factor for c, a in terms.items() if c != column}
        constant = self.constants[pivot_row] * factor
        touched = frozenset(c for i in self.rows_of[column] for c in self.terms[i] if c != column)
        self.retire(column, pivot_row)
        fill_in: list[tuple[Row, Column]] = []
        for i in sorted(self.rows_of[column]):
            fill_in += [(self.origin[i], c) for c in self.substitute(i, column, expression, constant)]
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

    def open_rows(self) -> list[int]:
        """Return the exact equations that have served as no pivot yet."""
        return [i for i, used in enumerate(self.used) if not used and self.weights[i] is None]

    def own_row(self, column: Column) -> int | None:
        """Return the equation of the law that is solved for a variable, of the same component."""
        for i in self.rows_of.get(column, ()):
            origin = self.origin[i]
            if self.weights[i] is None and origin.number == column[1] and not is_non_partner(column, origin):
                return i
        return None

    def paired_row(self, column: Column) -> int | None:
        """Return the unused equation that pairs with a rate or a multiplier: its torque, its own law."""
        for i in self.open_rows():
            origin = self.origin[i]
            pairing = BALANCED in origin.factor.template.conjugate or origin.factor.multiplier is not None
            if pairing and pairs_with(origin, column):
                return i
        return None

    def rewrite(self, row: int, terms: Mapping[Column, Number], constant: Number) -> None:
        """Put another equation in the place of one."""
        for c in self.terms[row]:
            self.rows_of[c].discard(row)
        self.terms[row], self.constants[row], self.changed[row] = dict(terms), constant, True
        for c in terms:
            self.rows_of.setdefault(c, set()).add(row)

    def restore(self, twin: System) -> None:
        """Return to the state that a copy kept; the copy must not be used any more."""
        self.__dict__.update(twin.__dict__)

    def work(self, column: Column, pivot_row: int) -> int:
        """Count the operations of `eliminate`, as if no two values were equal."""
        terms = self.terms[pivot_row]
        pivot_is_unit = _is_unit(terms[column])
        others = [_is_unit(a) for c, a in terms.items() if c != column]
        constant = not is_zero(self.constants[pivot_row])
        work = 0 if pivot_is_unit else DIVISION + len(others) + constant
        for i in self.rows_of[column]:
            if i == pivot_row:
                continue
            row, free = self.terms[i], _is_unit(self.terms[i][column])
            if not free:
                work += len(others) - (sum(others) if pivot_is_unit else 0)
            work += sum(1 for c in terms if c in row) - 1
            work += (1 + (not free)) if constant else 0
        return work

    def remaining(self) -> tuple[Row, ...]:
        """Return the equations that served as no pivot, as they stand now."""
        return tuple(
            Row(self.terms[i], self.constants[i], row.factor, row.number)
            for i, row in enumerate(self.origin)
            if not self.used[i]
        )

    def pivot_class(self, column: Column, row: int) -> int:
        """Judge an unknown's coefficient in an equation as a pivot."""
        return classify_pivot(
            column,
            self.terms[row],
            lambda: self.pairing.is_symmetric(column, row),
            lambda: self._is_definite(column, row),
        )

    def _is_definite(self, column: Column, row: int) -> bool:
        """Whether a pivot is one of a positive definite matrix: of bodies that are gone whole, their wrenches, too."""
        if not (self.pairing.is_symmetric(column, row) and self.pairing.is_definite(column, row)):
            return False
        others = (c[0] for c in self.terms[row] if c != column)
        return not any(key.role is Role.WRENCH and key != column[0].dual for key in others)

    def _guard_pivot(self, column: Column, row: int, unsafe: bool) -> Number:
        """Return a pivot, no number where it may vanish and does."""
        terms = self.terms[row]
        if not isinstance(pivot := terms[column], Scalar):
            return pivot
        others = [c[0] for c in terms if c != column]
        symmetric = self.pairing.is_symmetric(column, row)
        size = pivot_bound(
            pivot,
            definite=self._is_definite(column, row),
            determined=not others or (symmetric and all(key.role is not BALANCED for key in others)),
            unsafe=unsafe,
        )
        return pivot if size is None else guard(pivot, size)

    def retire(self, column: Column, row: int) -> None:
        """Take an equation out: it has served as a pivot for an unknown."""
        self.pairing.eliminate(column, row)
        self.used[row] = True
        for c in self.terms[row]:
            self.rows_of[c].discard(row)

    def substitute(
        self, row: int, column: Column, expression: Mapping[Column, Number], constant: Number
    ) -> list[Column]:
        """Replace `column` in an equation; return the unknowns that are new to it."""
        factor = self.terms[row].pop(column)
        self.constants[row] = self.constants[row] + constant * factor
        return self.add(row, {c: coefficient * factor for c, coefficient in expression.items()})

    def add(self, row: int, update: Mapping[Column, Number]) -> list[Column]:
        """Add coefficients to an equation; return the unknowns that are new to it."""
        terms, new = self.terms[row], []
        self.changed[row] = True
        for c, more in update.items():
            old = terms.get(c)
            value = more if old is None else _sum(old, more)
            if is_zero(value):
                terms.pop(c, None)
                self.rows_of[c].discard(row)
                continue
            if old is None:
                new.append(c)
                self.rows_of[c].add(row)
            terms[c] = value
        return new


PAIR = "pair"
"""In the place of a law: the equation that pairs with an unknown, a rate's torque, a multiplier's own law."""
CANCELLED = 1e-14
"""A sum of constants this much smaller than they are is zero."""
BALANCED = Role.COORDINATE_ACCELERATION
"""Rows that are conjugate to these pair with them: balances along coordinates."""
DIVISION = 10
"""What a division counts beside other operations."""


def _sum(a: Number, b: Number) -> Number:
    """Add; what rounding leaves of constants that cancel is zero, as on the tape."""
    total = a + b
    if isinstance(a, Scalar) or isinstance(b, Scalar):
        return total
    return 0.0 if abs(total) <= CANCELLED * (abs(a) + abs(b)) else total


def pairs_with(origin: Row, column: Column) -> bool:
    """Whether an equation is about an unknown, or pairs with it: a rate's torque equation, a multiplier's own law."""
    key, factor = column[0], origin.factor
    pairs = {key, key.dual} if key.role in (BALANCED, Role.ADJOINT_VELOCITY) else {key}
    return origin.number == column[1] and (
        factor.multiplier == key or any(a in pairs for a in factor.arguments.values())
    )


def _is_unit(value: Number) -> bool:
    return not isinstance(value, Scalar) and abs(value) == 1.0
