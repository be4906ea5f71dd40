"""Which coefficient may be divided by: judged when code is made, since code cannot choose at run time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from screwgraph.graph import Column, Role, Row
from screwgraph.tape import WIDE, Number, Scalar

UNIT, CONSTANT, NATURAL, ONE_SIGN, SMALL, MAY_VANISH = range(6)
"""Classes of pivots, best first. NATURAL: of one sign by the structure of the equations (`Pairing`)."""

CLEAR = 0.05
"""A pivot that keeps its sign over all samples is trusted where the smallest is this part of the largest."""
REGULAR = 1e-6
"""Where samples of a pivot that is positive by structure vary by more, the matrix may be only semidefinite."""
RISKY, LOST, SINGULAR = 1e-3, 1e-6, 1e-12
"""Parts of a pivot's usual size below which answers have lost too many digits: of one that nothing better was
left for (there may be several in a row), of any other, and of those that vanish only where the problem is singular."""
SAFE_RATIO, SAFE_INERTIA = 1e-3, 1e-9
"""A pivot this much smaller than another coefficient of its equation magnifies rounding.

Between forces and accelerations the ratio is an inertia, and those of rotors are small.
"""
FORCES = frozenset((Role.COORDINATE_FORCE, Role.EFFORT, Role.EXTERNAL_WRENCH, Role.WRENCH, Role.MULTIPLIER))


class Candidate(NamedTuple):
    """An equation that could express an unknown."""

    pivot_class: int
    non_partner: bool
    cost: int
    terms: int
    row: int
    column: Column

    def preference(self) -> tuple:
        """Sort key: class, the law that is commonly solved for it, Markowitz' cost; the rest makes it reproducible."""
        return (self.pivot_class, self.non_partner, self.cost, self.terms, self.row, self.column[1])


def classify_pivot(
    column: Column,
    terms: Mapping[Column, Number],
    is_symmetric: Callable[[], bool],
    is_definite: Callable[[], bool],
) -> int:
    """Judge an unknown's coefficient in an equation as a pivot, given whether elimination so far was symmetric there.

    One of a positive definite matrix (`is_definite`) vanishes only where the problem is singular.
    """
    value = terms[column]
    if not isinstance(value, Scalar):
        if abs(value) == 1.0:
            return UNIT
        if _is_sizeable(column, terms):
            return CONSTANT
        return NATURAL if is_symmetric() else SMALL
    smallest, largest = value.tape.extremes(value)
    if smallest == 0.0:
        return NATURAL if is_definite() and _is_clear_but_at_zero(value) else MAY_VANISH
    if is_symmetric():
        return NATURAL
    return ONE_SIGN if smallest > CLEAR * largest else MAY_VANISH


def _is_clear_but_at_zero(value: Scalar) -> bool:
    """Whether a pivot keeps its sign but at a few states, at which it is what rounding leaves of zero.

    One of the mass matrix is so at gimbal lock of massless links.
    """
    wide = value.tape.wide_samples(value)
    clear = wide[np.abs(wide) > SINGULAR * usual_size(value)]
    return 2 * clear.size >= WIDE and bool((clear > 0).all() or (clear < 0).all())


def pivot_bound(value: Number, *, definite: bool, determined: bool, unsafe: bool) -> float | None:
    """Return the size up to which a pivot's reciprocal is no number; None where it cannot vanish.

    Where what is left is a `definite` matrix, or the equation holds no other unknown of its kind (`determined`), a
    small pivot is a small singular value of the problem itself; elsewhere it only magnifies rounding.
    """
    if not isinstance(value, Scalar):
        return None
    smallest, largest = value.tape.extremes(value)
    if definite and smallest > REGULAR * largest:
        return None
    part = SINGULAR if definite or determined else RISKY if unsafe else LOST
    return part * usual_size(value)


def usual_size(value: Scalar) -> float:
    """Return the median size of a value over the states where there is one; 0 where there is none at any."""
    wide = np.abs(value.tape.wide_samples(value))
    wide = wide[np.isfinite(wide)]
    return float(np.median(wide)) if wide.size else 0.0


def find_share_near_zero(value: Number) -> float:
    """Return the part of all states at which a pivot is much smaller than usual; 1 where it is no number at any."""
    if not isinstance(value, Scalar):
        return 0.0
    wide = np.abs(value.tape.wide_samples(value))
    wide = wide[np.isfinite(wide)]
    return float((wide < CLEAR * usual_size(value)).mean()) if wide.size else 1.0


def is_non_partner(column: Column, origin: Row) -> bool:
    """Whether an equation comes from another law than the one that is commonly solved for an unknown."""
    return column[0] not in origin.factor.defined


def _is_sizeable(column: Column, terms: Mapping[Column, Number]) -> bool:
    """Whether a constant coefficient is not much smaller than others of its equation."""
    sizes = {c: abs(a.samples[0]) if isinstance(a, Scalar) else abs(a) for c, a in terms.items()}
    size, is_force = sizes[column], column[0].role in FORCES
    larger = [c for c, other in sizes.items() if size < SAFE_RATIO * other]
    return all((c[0].role in FORCES) != is_force and size >= SAFE_INERTIA * sizes[c] for c in larger)
