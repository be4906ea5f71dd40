"""Which pivots cannot vanish by structure: those of symmetric elimination.

Laws and unknowns pair: a balance of wrenches with an acceleration, the law of an acceleration with a wrench, a torque
with the acceleration of its coordinate, a constraint with its multiplier. So arranged, the equations are a symmetric
matrix. While the equations that were used are the partners of the unknowns that are gone, what is left is a Schur
complement of it: then, of links that are gone whole, a coordinate's own pivot is a pivot of the joint-space mass
matrix, which is positive definite, and a multiplier's one of J M^-1 J', if all coordinates of its
constraint, and of those whose multipliers went before, are gone: of some of them only, rows of J may depend on each
other. Any other pivot is a minor of either sign.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy

from screwgraph.graph import Column, Role, Row


def find_partner(row: Row, unknowns: Collection[Column]) -> Column | None:
    """Return the unknown that pairs with an equation, or the one that it defines; None where there is none."""
    factor, own = row.factor, row.factor.multiplier
    if own is not None:
        pairs = [own, *(key for key in factor.keys if key.dual == own)]
    else:
        pairs = [*(key.dual for key in factor.defined), *factor.defined]
    return next(((key, row.number) for key in pairs if key and (key, row.number) in unknowns), None)


class Pairing:
    """Pairing of eliminated equations and unknowns, in sets that equations connect; for each, what lacks its partner.

    `going` are the unknowns to be eliminated: the others are as good as known.
    """

    def __init__(self, rows: Sequence[Row], going: Collection[Column]) -> None:
        self._rows = rows
        held = {column for row in rows for column in row.terms}
        taken: set[Column] = set()
        self._partner: list[Column | int] = []
        for i, row in enumerate(rows):
            found = find_partner(row, held)
            self._partner.append(i if found is None or found in taken else found)
            taken |= {found} if found else set()
        self._holding: dict[Column, list[int]] = {}
        for i, row in enumerate(rows):
            for column in row.terms:
                self._holding.setdefault(column, []).append(i)
        ties = ((self._partner[i], _find_tied_columns(row, self._partner[i])) for i, row in enumerate(rows))
        self._tied = {column: tied & frozenset(going) for column, tied in ties if tied}
        self._parent: dict[Column | int, Column | int] = {}
        self._alone: dict[Column | int, frozenset[Column | int]] = {}
        self._loose: dict[Column | int, frozenset[Column]] = {}
        self._open: dict[Column | int, frozenset[Column]] = {}

    def copy(self) -> Pairing:
        """Return one that goes on by itself."""
        twin = copy(self)
        twin._parent, twin._alone, twin._loose = dict(self._parent), dict(self._alone), dict(self._loose)
        twin._tied, twin._open = dict(self._tied), dict(self._open)
        return twin

    def eliminate(self, column: Column, row: int) -> None:
        """Take note that an unknown went by an equation."""
        own = self._tied.get(column, frozenset()) if self._partner[row] == column else frozenset()
        if self._partner[row] != column and self._partner[row] in self._tied:
            self._substitute(column, self._tied[self._partner[row]])
        near = self._near(column, row)
        alone, loose = frozenset((column,)) ^ {self._partner[row]}, _bound_by(column)
        for root in near:
            alone ^= self._alone.pop(root)
            loose ^= self._loose.pop(root)
            own |= self._open.pop(root)
            self._parent[root] = column
        self._parent[column] = column
        self._parent[row] = column
        self._alone[column], self._loose[column], self._open[column] = alone, loose, own

    def _substitute(self, coordinate: Column, through: frozenset[Column]) -> None:
        """Let what ties a coordinate tie those by which a constraint expresses it."""
        for ties in (self._tied, self._open):
            for key, tied in ties.items():
                if coordinate in tied:
                    ties[key] = (tied | through) - {coordinate}

    def is_symmetric(self, column: Column, row: int) -> bool:
        """Whether an unknown pairs with an equation, and what was eliminated around them is symmetric."""
        if self._partner[row] != column:
            return False
        alone: frozenset[Column | int] = frozenset()
        for root in self._near(column, row):
            alone ^= self._alone[root]
        return not alone and self._is_complete(column, row)

    def _is_complete(self, column: Column, row: int) -> bool:
        """Whether all coordinates are gone that a multiplier and those before it tie; of other unknowns, always."""
        tied = self._tied.get(column)
        if tied is None:
            return True
        return all(self._parent.keys() >= ties for ties in (tied, *(self._open[r] for r in self._near(column, row))))

    def is_definite(self, column: Column, row: int) -> bool:
        """Whether bodies move by coordinates only: each acceleration that is gone, or goes now, with its wrench."""
        loose = _bound_by(column)
        for root in self._near(column, row):
            loose ^= self._loose[root]
        return not loose

    def _near(self, column: Column, row: int) -> set[Column | int]:
        """Return the sets that touch an unknown's original equations, or an equation's original unknowns."""
        touched: list[Column | int] = [i for i in self._holding.get(column, ()) if i in self._parent]
        touched += [c for c in self._rows[row].terms if c in self._parent]
        return {self._root(one) for one in touched}

    def _root(self, one: Column | int) -> Column | int:
        while (above := self._parent[one]) != one:
            self._parent[one] = self._parent.get(above, above)
            one = above
        return one


def _find_tied_columns(row: Row, partner: Column | int) -> frozenset[Column]:
    """Return the coordinates that a constraint ties, given the multiplier that it pairs with; else nothing."""
    if isinstance(partner, int) or partner[0].role is not Role.MULTIPLIER:
        return frozenset()
    return frozenset(column for column in row.terms if column[0].role is Role.COORDINATE_ACCELERATION)


def _bound_by(column: Column) -> frozenset[Column]:
    """Return the wrench that binds a body's acceleration, of that acceleration and of that wrench; else nothing."""
    key, number = column
    if key.role is Role.ACCELERATION and key.dual is not None:
        return frozenset(((key.dual, number),))
    return frozenset((column,) if key.role is Role.WRENCH else ())
