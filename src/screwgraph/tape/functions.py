"""Functions beyond arithmetic, sine and cosine that straight-line code may hold; truth is 1, falsehood 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "sqrt": np.sqrt,
        "abs": np.abs,
        "floor": np.floor,
        "ceil": np.ceil,
        "exp": np.exp,
        "log": np.log,
        "tan": np.tan,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tanh": np.tanh,
        "asinh": np.arcsinh,
        "acosh": np.arccosh,
        "atanh": np.arctanh,
        "erf": lambda a: _erf(a),
        "atan2": np.arctan2,
        "pow": np.power,
        "fmod": np.fmod,
        "min": np.minimum,
        "max": np.maximum,
        "lt": lambda a, b: np.less(a, b) * 1.0,
        "le": lambda a, b: np.less_equal(a, b) * 1.0,
        "eq": lambda a, b: np.equal(a, b) * 1.0,
        "ne": lambda a, b: np.not_equal(a, b) * 1.0,
        "not": lambda a: np.equal(a, 0.0) * 1.0,
        "and": lambda a, b: np.logical_and(a, b) * 1.0,
        "or": lambda a, b: np.logical_or(a, b) * 1.0,
        "sign": np.sign,
        "where": lambda condition, a: np.where(condition, a, 0.0),
    }
)
"""What each does on NumPy values; `where` is its second operand where the first is true, else 0."""


def _erf(a: Any) -> Any:
    from scipy.special import erf

    return erf(a)
