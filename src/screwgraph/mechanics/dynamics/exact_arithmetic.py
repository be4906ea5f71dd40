"""Exact numbers of a robot's geometry, and rows of them in echelon form.

What a file says in decimals, and quarter turns, are fractions; other angles leave floats, and what is made of both is a
float. A float that is small beside its row is zero; fractions need no such bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.dynamics.rational_functions import Length, Ratio
from screwgraph.spatial import Array, rotation, transform, translation

SQUARE = 1e-5
"""Angles (rad) between axes and quarter turns below which they are the same: files write 1.5708 and 3.1416."""
DIGITS = 12
"""Decimals (m) of lengths that are regarded: what fixed joints add up has errors beyond."""
SMALL = 1e-9
"""Part of the largest number of a row below which floats are zero."""


class Number:
    """A fraction, or a float where angles are not right ones, or a formula in named lengths.

    Floats of code, such as 0.0, leave fractions exact.
    """

    __slots__ = ("value",)

    def __init__(self, value: Fraction | float | Ratio) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"{float(self.value):g}"

    def __bool__(self) -> bool:
        return bool(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __neg__(self) -> Number:
        return Number(-self.value)

    def __add__(self, other: Number | float) -> Number:
        y = _value(other)
        return self if not y else Number(self.value + y)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return other * self
        y = _value(other)
        return Number(self.value * y) if y and self.value else ZERO

    def __truediv__(self, other: Number | float) -> Number:
        return Number(self.value / _value(other))

    def __sub__(self, other: Number | float) -> Number:
        return Number(self.value - _value(other))

    def __rsub__(self, other: Number | float) -> Number:
        return Number(_value(other) - self.value)

    __radd__, __rmul__ = __add__, __mul__

    @property
    def is_exact(self) -> bool:
        """Whether it is a fraction, or made of fractions and lengths."""
        return self.value.is_exact if isinstance(self.value, Ratio) else isinstance(self.value, Fraction)

    @property
    def is_formula(self) -> bool:
        """Whether lengths are in it."""
        return isinstance(self.value, Ratio) and not self.value.is_constant

    def vanishes(self, scale: float) -> bool:
        """Whether it is zero, a float beside numbers of a scale."""
        return not self.value or (not self.is_exact and abs(float(self.value)) <= SMALL * scale)


ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


def _value(x: Number | float) -> Any:
    return x.value if isinstance(x, Number) else Fraction(x)


def exact_direction(axis: Iterable[float]) -> Float[Array, "3"]:
    """Return a unit vector, exact where it is along a coordinate axis, with zeros where it is nearly across one."""
    return _exact_row(np.asarray(tuple(axis), dtype=float))


def exact_pose(T: Float[np.ndarray, "4 4"], named: Mapping[int, Length] | None = None) -> Float[Array, "4 4"]:
    """Return a pose of exact numbers, where its angles are right ones; lengths along some axes are `named`."""
    R, p = rotation(T), np.array([exact_length(x) for x in translation(T)], dtype=object)
    for axis, length in (named or {}).items():
        p[axis] = Number(Ratio.from_value(length))
    return transform(np.stack([_exact_row(row) for row in R]), p)


def exact_length(x: float) -> Number:
    """Return the decimal fraction that a length (m) stands for."""
    return Number(Fraction(str(round(float(x), DIGITS))))


def reduce_to_echelon(rows: Float[Array, "n k"]) -> Float[Array, "r k"]:
    """Return independent rows with the same span: Gauss-Jordan elimination with complete pivoting, numbers first."""
    scale = _scale(rows)
    left, done = [clear_rounding(row, scale) for row in rows], list[Any]()
    while left:
        places = [(not x.is_formula, abs(float(x)), i, j) for i, row in enumerate(left) for j, x in enumerate(row) if x]
        if not places:
            break
        _, _, i, j = max(places)
        pivot = left.pop(i)
        pivot = [x / pivot[j] if x else x for x in pivot]
        done, left = [_less(row, pivot, j) for row in done], [_less(row, pivot, j) for row in left]
        done.append(pivot)
    return np.array(done, dtype=object).reshape(len(done), rows.shape[1])


def _less(row: list[Any], pivot: list[Any], j: int) -> list[Any]:
    factor = row[j]
    if not factor:
        return row
    found = [x - factor * y if y else x for x, y in zip(row, pivot, strict=True)]
    found[j] = ZERO
    return clear_rounding(found, max(_scale([row]), abs(float(factor)) * _scale([pivot])))


def clear_rounding(row: Iterable[Any], scale: float) -> list[Any]:
    """Return the numbers of a row, those that vanish beside a scale as zeros."""
    return [ZERO if x.vanishes(scale) else x for x in row]


def _scale(rows: Iterable[Iterable[Any]]) -> float:
    return max((abs(float(x)) for row in rows for x in row), default=0.0)


@dataclass(frozen=True)
class EchelonRows:
    """Sparse rows in reduced echelon form: `rows[c]` begins with 1 in column c, where no other row has a number."""

    rows: dict[int, dict[int, Number]] = field(default_factory=dict)

    def add(self, row: dict[int, Number]) -> None:
        """Take one more row, unless it depends on those that are here."""
        scale = _scale([row.values()])
        for c in [c for c in row if c in self.rows]:
            row = _add_multiple(row, -row[c], self.rows[c], scale)
        if not row:
            return
        first = min(row)
        row = {c: x / row[first] for c, x in row.items()} | {first: ONE}
        for c, other in self.rows.items():
            if first in other:
                self.rows[c] = _add_multiple(other, -other[first], row, _scale([other.values()]))
        self.rows[first] = row


def _add_multiple(a: dict[int, Number], factor: Number, b: dict[int, Number], scale: float) -> dict[int, Number]:
    """Return a + factor b, without what vanishes."""
    found, bound = dict(a), max(scale, abs(float(factor)) * _scale([b.values()]))
    for c, x in b.items():
        y = found.get(c, ZERO) + factor * x
        if y.vanishes(bound):
            found.pop(c, None)
        else:
            found[c] = y
    return found


def _exact_row(row: Float[np.ndarray, "3"]) -> Float[Array, "3"]:
    kept = np.abs(row) > SQUARE
    if kept.sum() == 1:
        return np.array([Number(Fraction(int(np.sign(x)))) if k else ZERO for x, k in zip(row, kept, strict=True)])
    return np.array([Number(float(x)) if k else ZERO for x, k in zip(row, kept, strict=True)])
