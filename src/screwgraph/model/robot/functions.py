"""Smooth and piecewise smooth functions, by the names of the tape's operations, of numbers of every kind.

Those are floats, complex numbers, tape scalars, CasADi's symbols and `Taylor`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from screwgraph.spatial import Taylor, choose
from screwgraph.tape import OPERATIONS
from screwgraph.tape import apply as of_plain

Derivatives = Callable[[Any, Any], tuple[Any, Any]]
"""From the value and the argument of a function to its first and second derivative."""


def _sqrt(y: Any, a: Any) -> tuple[Any, Any]:
    slope = 0.5 / y
    return slope, -0.5 * slope / a


def _asin(y: Any, a: Any) -> tuple[Any, Any]:
    slope = 1.0 / apply_function("sqrt", 1.0 - a * a)
    return slope, a * slope * slope * slope


def _acos(y: Any, a: Any) -> tuple[Any, Any]:
    slope, curvature = _asin(y, a)
    return -slope, -curvature


def _atan(y: Any, a: Any) -> tuple[Any, Any]:
    slope = 1.0 / (1.0 + a * a)
    return slope, -2.0 * a * slope * slope


def _atanh(y: Any, a: Any) -> tuple[Any, Any]:
    slope = 1.0 / (1.0 - a * a)
    return slope, 2.0 * a * slope * slope


def _inverse_hyperbolic(sign: float) -> Derivatives:
    def derivatives(y: Any, a: Any) -> tuple[Any, Any]:
        slope = 1.0 / apply_function("sqrt", a * a + sign)
        return slope, -a * slope * slope * slope

    return derivatives


def _tan(y: Any, a: Any) -> tuple[Any, Any]:
    slope = 1.0 + y * y
    return slope, 2.0 * y * slope


def _tanh(y: Any, a: Any) -> tuple[Any, Any]:
    slope = 1.0 - y * y
    return slope, -2.0 * y * slope


def _erf(y: Any, a: Any) -> tuple[Any, Any]:
    slope = 2.0 / math.sqrt(math.pi) * apply_function("exp", -(a * a))
    return slope, -2.0 * a * slope


OF_ONE: Mapping[str, Derivatives] = MappingProxyType(
    {
        "sin": lambda y, a: (apply_function("cos", a), -y),
        "cos": lambda y, a: (-apply_function("sin", a), -y),
        "tan": _tan,
        "exp": lambda y, a: (y, y),
        "log": lambda y, a: (1.0 / a, -1.0 / (a * a)),
        "sqrt": _sqrt,
        "asin": _asin,
        "acos": _acos,
        "atan": _atan,
        "sinh": lambda y, a: (apply_function("cosh", a), y),
        "cosh": lambda y, a: (apply_function("sinh", a), y),
        "tanh": _tanh,
        "asinh": _inverse_hyperbolic(1.0),
        "acosh": _inverse_hyperbolic(-1.0),
        "atanh": _atanh,
        "erf": _erf,
        "abs": lambda y, a: (apply_function("sign", a), 0.0),
    }
)
"""Functions of one number, with their derivatives; that of |x| at 0 is 0."""
OF_TWO = ("atan2", "min", "max", "pow")
"""Functions of two numbers; of `pow` the exponent is a constant. Of equal numbers, `min` and `max` follow the first."""


def apply_function(name: str, *operands: Any) -> Any:
    """Return a function of `OF_ONE` or `OF_TWO` of numbers of any kind."""
    kinds = {type(x) for x in operands}
    if Taylor in kinds:
        lifted = [x if isinstance(x, Taylor) else Taylor(x) for x in operands]
        return _of_two(name, *lifted) if len(lifted) == 2 else _of_one(name, *lifted)
    if any(issubclass(kind, complex | np.complexfloating) for kind in kinds):
        return _of_complex(name, operands)
    return of_plain(name, *operands)


def _of_one(name: str, a: Taylor) -> Taylor:
    value = apply_function(name, a.value)
    slope, curvature = OF_ONE[name](value, a.value)
    return Taylor(value, a.first * slope, a.second * slope + curvature * (a.first * a.first))


def _of_two(name: str, a: Taylor, b: Taylor) -> Taylor:
    value = apply_function(name, a.value, b.value)
    if name == "atan2":
        weight = 1.0 / (a.value * a.value + b.value * b.value)
        first = (b.value * a.first - a.value * b.first) * weight
        turning = 2.0 * first * (a.value * a.first + b.value * b.first)
        return Taylor(value, first, (b.value * a.second - a.value * b.second - turning) * weight)
    if name == "pow":
        slope = b.value * apply_function("pow", a.value, b.value - 1.0)
        curvature = b.value * (b.value - 1.0) * apply_function("pow", a.value, b.value - 2.0)
        return Taylor(value, a.first * slope, a.second * slope + curvature * (a.first * a.first))
    is_first = a.value <= b.value if name == "min" else a.value >= b.value
    return Taylor(value, choose(is_first, a.first, b.first), choose(is_first, a.second, b.second))


def _of_complex(name: str, operands: tuple[Any, ...]) -> complex:
    """Return a function of complex numbers to first order in the imaginary parts: for complex steps."""
    real = [np.float64(np.real(x)) for x in operands]
    value, rules = OPERATIONS[name].values(*real), OPERATIONS[name].partials
    slopes = [
        rule(value, *real) * np.imag(x) if np.imag(x) else 0.0 for rule, x in zip(rules, operands, strict=True) if rule
    ]
    return complex(value, float(sum(slopes)))
