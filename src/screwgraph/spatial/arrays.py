"""Small linear algebra that works alike on NumPy arrays (float, complex, object) and CasADi values.

Arrays of objects hold scalars of a tape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any
"""A NumPy array (float, complex, or object holding tape scalars) or a CasADi matrix."""


_PLAIN = frozenset({float, int, complex, np.float64, np.complex128, np.ndarray})
"""Kinds that most numbers are of: a look at these is quicker than one at the name of a module."""


def is_casadi(x: Any) -> bool:
    """Tell whether `x` is a CasADi value, without importing CasADi."""
    kind = type(x)
    return kind not in _PLAIN and kind.__module__.startswith("casadi")


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


def floor(x: Any) -> Any:
    """Largest whole number not above a scalar of any real kind."""
    return x.floor() if hasattr(x, "floor") else np.floor(x)


def atan2(y: Any, x: Any) -> Any:
    """Angle (rad) of the point (x, y); of complex numbers to first order in the imaginary parts."""
    if is_casadi(y) or is_casadi(x):
        import casadi as ca

        return ca.atan2(y, x)
    angle = np.arctan2(real(y), real(x))
    if isinstance(y, complex) or isinstance(x, complex):
        return angle + 1j * ((np.real(x) * np.imag(y) - np.real(y) * np.imag(x)) / (np.real(x) ** 2 + np.real(y) ** 2))
    return angle


def minimum(a: Any, b: Any) -> Any:
    """Return the smaller of two scalars of any real kind, or of each two entries of arrays."""
    return _of_two("minimum", "fmin", a, b)


def maximum(a: Any, b: Any) -> Any:
    """Return the larger of two scalars of any real kind, or of each two entries of arrays."""
    return _of_two("maximum", "fmax", a, b)


def _of_two(name: str, casadi_name: str, a: Any, b: Any) -> Any:
    if is_casadi(a) or is_casadi(b):
        import casadi as ca

        return getattr(ca, casadi_name)(a, b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        pairs = np.broadcast(a, b)
        if all(np.asarray(x).dtype != object for x in (a, b)):
            return getattr(np, name)(a, b)
        return np.array([_of_two(name, casadi_name, *pair) for pair in pairs], dtype=object).reshape(pairs.shape)
    first, second = (a, b) if hasattr(a, name) else (b, a)
    return getattr(first, name)(second) if hasattr(first, name) else getattr(np, name)(a, b)


def choose(condition: Any, yes: Any, no: Any) -> Any:
    """Return one of two scalars; both are computed, so both must be finite."""
    if is_casadi(condition):
        import casadi as ca

        return ca.if_else(condition, yes, no)
    if hasattr(condition, "if_else"):
        return condition.if_else(yes, no)
    return yes if condition else no


def vector(entries: Sequence[Any]) -> Array:
    """Stack scalars to a vector."""
    if any(map(is_casadi, entries)):
        import casadi as ca

        return ca.vertcat(*entries)
    return np.array(list(entries), dtype=_dtype(entries))


def matrix(rows: Sequence[Sequence[Any]]) -> Array:
    """Build a matrix from rows of scalars."""
    flat = [e for row in rows for e in row]
    if any(map(is_casadi, flat)):
        import casadi as ca

        return ca.vertcat(*(ca.horzcat(*row) for row in rows))
    return np.array([list(row) for row in rows], dtype=_dtype(flat))


def concatenate(*vectors: Array) -> Array:
    """Stack vectors to one longer vector."""
    if any(map(is_casadi, vectors)):
        import casadi as ca

        return ca.vertcat(*vectors)
    return np.concatenate(vectors)


def concatenate_columns(*matrices: Array) -> Array:
    """Stack matrices side by side to a wider matrix."""
    return block([matrices])


def block(rows: Sequence[Sequence[Array]]) -> Array:
    """Build a matrix from rows of matrices."""
    if any(is_casadi(b) for row in rows for b in row):
        import casadi as ca

        return ca.vertcat(*(ca.horzcat(*row) for row in rows))
    return np.concatenate([np.concatenate(row, axis=1) for row in rows])  # np.block takes three times as long


def _dtype(entries: Sequence[Any]) -> type | None:
    """NumPy's own choice for numbers, `object` for anything else."""
    return None if all(isinstance(e, (int, float, complex, np.number)) for e in entries) else object
