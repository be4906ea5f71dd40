"""Numbers that move: a value with its first and second derivative along a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from screwgraph.spatial.generic_math import cos, sin, sqrt


class Taylor:
    """A value with its first and second derivative, of any kind of number. Griewank & Walther (2008), chapter 13.

    The second derivative may be a number that only linear operations accept: unknown accelerations, for instance.
    Graphs make millions of these: a frozen dataclass takes three times as long to make.
    """

    __slots__ = ("first", "second", "value")
    __array_ufunc__ = None

    def __init__(self, value: Any, first: Any = 0.0, second: Any = 0.0) -> None:
        self.value, self.first, self.second = value, first, second

    def __repr__(self) -> str:
        return f"Taylor(value={self.value!r}, first={self.first!r}, second={self.second!r})"

    def __add__(self, other: Any) -> Taylor:
        b = _lift_number(other)
        return Taylor(self.value + b.value, self.first + b.first, self.second + b.second)

    __radd__ = __add__

    def __neg__(self) -> Taylor:
        return Taylor(-self.value, -self.first, -self.second)

    def __sub__(self, other: Any) -> Taylor:
        return self + (-other)

    def __rsub__(self, other: Any) -> Taylor:
        return -self + other

    def __mul__(self, other: Any) -> Taylor:
        b = _lift_number(other)
        second = self.second * b.value + 2.0 * (self.first * b.first) + b.second * self.value
        return Taylor(self.value * b.value, self.first * b.value + b.first * self.value, second)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Taylor:
        b = _lift_number(other)
        inverse = 1.0 / b.value
        value = self.value * inverse
        first = (self.first - value * b.first) * inverse
        return Taylor(value, first, (self.second - 2.0 * (first * b.first) - value * b.second) * inverse)

    def __rtruediv__(self, other: Any) -> Taylor:
        return _lift_number(other) / self

    def sin(self) -> Taylor:
        """Return the sine (argument in rad)."""
        s, c = sin(self.value), cos(self.value)
        return self._function(s, c, -s)

    def cos(self) -> Taylor:
        """Return the cosine (argument in rad)."""
        s, c = sin(self.value), cos(self.value)
        return self._function(c, -s, -c)

    def sqrt(self) -> Taylor:
        """Return the square root."""
        root = sqrt(self.value)
        slope = 0.5 / root
        return self._function(root, slope, -0.5 * slope / self.value)

    def _function(self, value: Any, slope: Any, curvature: Any) -> Taylor:
        return Taylor(value, self.first * slope, self.second * slope + curvature * (self.first * self.first))


def gradient(function: Callable[[Mapping[int, Any]], Any], at: Mapping[int, Any], by: Sequence[int]) -> list[list[Any]]:
    """Return the derivatives of a function's results, a row each, by its arguments in `by`, a column each."""
    columns = []
    for i in by:
        moved = {k: Taylor(x, 1.0 if k == i else 0.0) for k, x in at.items()}
        columns.append([value.first if isinstance(value, Taylor) else 0.0 for value in function(moved)])
    return [list(row) for row in zip(*columns, strict=True)]


def _lift_number(x: Any) -> Taylor:
    return x if isinstance(x, Taylor) else Taylor(x)
