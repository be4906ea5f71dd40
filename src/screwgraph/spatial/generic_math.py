"""Small linear algebra that works alike on NumPy arrays of floats, complex numbers and objects.

Arrays of objects hold scalars of a tape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

Array = Any
"""A NumPy array: float, complex, or object holding tape scalars."""


def is_merged_by_value(x: Any) -> bool:
    """Tell whether `x` is a scalar on a tape that merges by value, where branches would keep it from simplifying."""
    return hasattr(x, "tape") and x.tape.by_value


def real(x: Any) -> Any:
    """Return what comparisons are made with: the real part of complex numbers, the value of others."""
    return x.real if isinstance(x, complex) else x


def _elementwise(name: str, of_numbers: np.ufunc, x: Any) -> Any:
    """Apply a function to a number of any kind, or to each entry of an array."""
    if isinstance(x, np.ndarray) and x.dtype == object:
        return np.array([_elementwise(name, of_numbers, entry) for entry in x.ravel()], dtype=object).reshape(x.shape)
    return getattr(x, name)() if hasattr(x, name) else of_numbers(x)


def sin(x: Any) -> Any:
    """Sine of a scalar of any kind, or of each entry of an array."""
    return _elementwise("sin", np.sin, x)


def cos(x: Any) -> Any:
    """Cosine of a scalar of any kind, or of each entry of an array."""
    return _elementwise("cos", np.cos, x)


def tan(x: Any) -> Any:
    """Tangent of a scalar of any kind, or of each entry of an array."""
    return _elementwise("tan", np.tan, x)


def sqrt(x: Any) -> Any:
    """Square root of a scalar of any kind, or of each entry of an array."""
    return _elementwise("sqrt", np.sqrt, x)


def exp(x: Any) -> Any:
    """Exponential of a scalar of any kind, or of each entry of an array."""
    return _elementwise("exp", np.exp, x)


def log(x: Any) -> Any:
    """Natural logarithm of a scalar of any kind, or of each entry of an array."""
    return _elementwise("log", np.log, x)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent of a scalar of any kind, or of each entry of an array."""
    return _elementwise("tanh", np.tanh, x)


def floor(x: Any) -> Any:
    """Largest whole number not above a scalar of any real kind."""
    return x.floor() if hasattr(x, "floor") else np.floor(x)


def atan2(y: Any, x: Any) -> Any:
    """Angle (rad) of the point (x, y); of complex numbers to first order in the imaginary parts."""
    angle = np.arctan2(real(y), real(x))
    if isinstance(y, complex) or isinstance(x, complex):
        return angle + 1j * ((np.real(x) * np.imag(y) - np.real(y) * np.imag(x)) / (np.real(x) ** 2 + np.real(y) ** 2))
    return angle


def minimum(a: Any, b: Any) -> Any:
    """Return the smaller of two scalars of any real kind, or of each two entries of arrays."""
    return _of_two("minimum", a, b)


def maximum(a: Any, b: Any) -> Any:
    """Return the larger of two scalars of any real kind, or of each two entries of arrays."""
    return _of_two("maximum", a, b)


def largest_size(values: Iterable[Any], found: Any = 0.0) -> Any:
    """Return the largest size of scalars of any real kind, or `found` where that is larger."""
    left = [abs(x) for x in values]
    while len(left) > 1:  # by pairs of pairs: as few as can be wait for each other
        left = [maximum(*left[i : i + 2]) if i + 1 < len(left) else left[i] for i in range(0, len(left), 2)]
    return maximum(found, left[0]) if left else found


def _of_two(name: str, a: Any, b: Any) -> Any:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        pairs = np.broadcast(a, b)
        if all(np.asarray(x).dtype != object for x in (a, b)):
            return getattr(np, name)(a, b)
        return np.array([_of_two(name, *pair) for pair in pairs], dtype=object).reshape(pairs.shape)
    first, second = (a, b) if hasattr(a, name) else (b, a)
    return getattr(first, name)(second) if hasattr(first, name) else getattr(np, name)(a, b)


def choose(condition: Any, yes: Any, no: Any) -> Any:
    """Return one of two scalars, of arrays entry by entry; both are computed, so both must be finite."""
    if hasattr(condition, "if_else"):
        return condition.if_else(yes, no)
    if isinstance(condition, np.ndarray):
        return np.where(condition, yes, no)
    return yes if condition else no


def vector(entries: Sequence[Any]) -> Array:
    """Stack scalars to a vector."""
    return np.array(list(entries), dtype=_dtype(entries))


def matrix(rows: Sequence[Sequence[Any]]) -> Array:
    """Build a matrix from rows of scalars."""
    return np.array([list(row) for row in rows], dtype=_dtype(chain.from_iterable(rows)))


def floats(x: Array) -> Array:
    """Return a vector of doubles as a list: Python's own floats take a third of the time; others as they are."""
    return x.tolist() if isinstance(x, np.ndarray) and x.dtype == float and x.ndim == 1 else x


def concatenate(*vectors: Array) -> Array:
    """Stack vectors to one longer vector."""
    return np.concatenate(vectors)


def concatenate_columns(*matrices: Array) -> Array:
    """Stack matrices horizontally to a wider matrix."""
    return block([matrices])


def block(rows: Sequence[Sequence[Array]]) -> Array:
    """Build a matrix from rows of matrices."""
    return np.concatenate([np.concatenate(row, axis=1) for row in rows])  # np.block takes three times as long


def _dtype(entries: Iterable[Any]) -> type | None:
    """NumPy's own choice for numbers, `object` for anything else."""
    return None if all(map(_is_number, set(map(type, entries)))) else object


@cache
def _is_number(kind: type) -> bool:
    return issubclass(kind, (int, float, complex, np.number))
