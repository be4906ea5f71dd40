"""Which coefficient may be divided by: judged when code is made, since code cannot choose at run time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from screwgraph.graph import Column, Row
from screwgraph.tape import Number, Scalar

UNIT, CONSTANT, NATURAL, ONE_SIGN, SMALL, MAY_VANISH = range(6)
"""Classes of pivots, best first. NATURAL: of one sign, and the law is the unknown's partner in the KKT form."""

SAFE_RATIO = 1e-3
"""A pivot this much smaller than another coefficient of its equation magnifies rounding."""


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


def pivot_class(value: Number, column: Column, origin: Row, terms: Mapping[Column, Number]) -> int:
    """Judge a coefficient of `column` in an equation as a pivot."""
    if not isinstance(value, Scalar):
        if abs(value) == 1.0:
            return UNIT
        return CONSTANT if _is_sizeable(value, terms) else SMALL
    wide = value.tape.wide_samples(value)
    if not ((wide > 0).all() or (wide < 0).all()):
        return MAY_VANISH
    if _is_partner(column, origin):
        return NATURAL
    size = np.abs(wide)
    return ONE_SIGN if size.min() > 0.05 * size.max() else MAY_VANISH


def _is_partner(column: Column, origin: Row) -> bool:
    if origin.factor.multiplier is not None:
        return (origin.factor.multiplier, origin.number) == column
    return column[0].role in origin.factor.template.conjugate


def is_foreign(column: Column, origin: Row) -> bool:
    """Whether an equation comes from another law than the one that is commonly solved for an unknown."""
    factor = origin.factor
    return all(factor.arguments.get(argument) != column[0] for argument in factor.template.solved)


def _is_sizeable(value: float, terms: Mapping[Column, Number]) -> bool:
    largest = max(abs(c.samples[0]) if isinstance(c, Scalar) else abs(c) for c in terms.values())
    return abs(value) >= SAFE_RATIO * largest
