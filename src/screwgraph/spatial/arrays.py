"""Small linear algebra that works alike on NumPy (float, complex, object) and CasADi values."""

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


def is_tape(x: Any) -> bool:
    """Tell whether `x` is a scalar on a tape, without importing tapes."""
    return type(x).__module__.startswith("screwgraph.tape")


def real(x: Any) -> Any:
    """Return what comparisons are made with: the real part of complex numbers, the value of others."""
    return x.real if isinstance(x, complex) else x


def sin(x: Any) -> Any:
    """Sine of one scalar of any kind."""
    return x.sin() if hasattr(x, "sin") else np.sin(x)


def cos(x: Any) -> Any:
    """Cosine of one scalar of any kind."""
    return x.cos() if hasattr(x, "cos") else np.cos(x)


def sqrt(x: Any) -> Any:
    """Square root of one scalar of any kind."""
    return x.sqrt() if hasattr(x, "sqrt") else np.sqrt(x)


def log(x: Any) -> Any:
    """Natural logarithm of one scalar of any kind."""
    return x.log() if hasattr(x, "log") else np.log(x)


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


def choose(condition: Any, yes: Any, no: Any) -> Any:
    """Return one of two scalars; both are computed, so both must be finite."""
    if is_casadi(condition):
        import casadi as ca

        return ca.if_else(condition, yes, no)
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
