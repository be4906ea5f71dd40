"""The operations of straight-line code: each stands here once, with its values and its derivatives.

How each back end writes them stands in `compiler/backends/`, one table a back end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

Rule = Callable[..., Any]
"""From the result and the operands (floats or scalars on a tape) to the result's derivative by one operand."""


@dataclass(frozen=True)
class Operation:
    """An operation: `values` computes NumPy values, `partials` has a rule for each operand, None where it is zero.

    `entire` operations are fixed everywhere by their values near one point: an identity that holds at random states
    holds at all. Results of the others, such as |x|, sqrt(x x), tanh(100 x) or x < y, are never identified by values.
    """

    values: Callable[..., Any]
    partials: tuple[Rule | None, ...]
    symbol: str = ""
    entire: bool = False

    @property
    def arity(self) -> int:
        """Number of operands."""
        return len(self.partials)


def _entire(values: Callable[..., Any], *partials: Rule, symbol: str = "") -> Operation:
    return Operation(values, partials, symbol, entire=True)


def _other(values: Callable[..., Any], *partials: Rule | None) -> Operation:
    return Operation(values, partials)


def _truth(values: Callable[..., Any], arity: int) -> Operation:
    return Operation(lambda *operands: values(*operands) * 1.0, (None,) * arity)


def _erf(a: Any) -> Any:
    from scipy.special import erf

    return erf(a)


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "add": _entire(lambda a, b: a + b, lambda y, a, b: 1.0, lambda y, a, b: 1.0, symbol="+"),
        "sub": _entire(lambda a, b: a - b, lambda y, a, b: 1.0, lambda y, a, b: -1.0, symbol="-"),
        "neg": _entire(lambda a: -a, lambda y, a: -1.0, symbol="-"),
        "mul": _entire(lambda a, b: a * b, lambda y, a, b: b, lambda y, a, b: a, symbol="*"),
        "div": _entire(np.divide, lambda y, a, b: 1.0 / b, lambda y, a, b: -y / b, symbol="/"),
        "inv": _entire(lambda a: 1.0 / a, lambda y, a: -(y * y), symbol="/"),
        "sin": _entire(np.sin, lambda y, a: np.cos(a)),
        "cos": _entire(np.cos, lambda y, a: -np.sin(a)),
        "tan": _entire(np.tan, lambda y, a: 1.0 + y * y),
        "exp": _entire(np.exp, lambda y, a: y),
        "sinh": _entire(np.sinh, lambda y, a: np.cosh(a)),
        "cosh": _entire(np.cosh, lambda y, a: np.sinh(a)),
        "tanh": _other(np.tanh, lambda y, a: 1.0 - y * y),  # far from 0 it is 1 to all digits, and is no constant
        "erf": _other(_erf, lambda y, a: 2.0 / math.sqrt(math.pi) * np.exp(-(a * a))),
        "sqrt": _other(np.sqrt, lambda y, a: 0.5 / y),
        "log": _other(np.log, lambda y, a: 1.0 / a),
        "asin": _other(np.arcsin, lambda y, a: 1.0 / np.sqrt(1.0 - a * a)),
        "acos": _other(np.arccos, lambda y, a: -1.0 / np.sqrt(1.0 - a * a)),
        "atan": _other(np.arctan, lambda y, a: 1.0 / (1.0 + a * a)),
        "atan2": _other(np.arctan2, lambda y, a, b: b / (a * a + b * b), lambda y, a, b: -a / (a * a + b * b)),
        "asinh": _other(np.arcsinh, lambda y, a: 1.0 / np.sqrt(a * a + 1.0)),
        "acosh": _other(np.arccosh, lambda y, a: 1.0 / np.sqrt(a * a - 1.0)),
        "atanh": _other(np.arctanh, lambda y, a: 1.0 / (1.0 - a * a)),
        "pow": _other(np.power, lambda y, a, b: b * a ** (b - 1.0), lambda y, a, b: y * np.log(a)),
        "fmod": _other(np.fmod, lambda y, a, b: 1.0, lambda y, a, b: (y - a) / b),
        "abs": _other(np.abs, lambda y, a: 1.0 * (a > 0.0) - 1.0 * (a < 0.0)),
        "sign": _other(np.sign, None),
        "floor": _other(np.floor, None),
        "ceil": _other(np.ceil, None),
        "min": _other(np.minimum, lambda y, a, b: 1.0 * (a <= b), lambda y, a, b: 1.0 * (b < a)),
        "max": _other(np.maximum, lambda y, a, b: 1.0 * (a >= b), lambda y, a, b: 1.0 * (b > a)),
        "lt": _truth(np.less, 2),
        "le": _truth(np.less_equal, 2),
        "eq": _truth(np.equal, 2),
        "ne": _truth(np.not_equal, 2),
        "not": _truth(np.logical_not, 1),
        "and": _truth(np.logical_and, 2),
        "or": _truth(np.logical_or, 2),
        "where": _other(lambda condition, a: np.where(condition, a, 0.0), None, lambda y, condition, a: condition),
        "guard": _other(lambda a, b: np.where(np.abs(a) > b, a, np.nan), lambda y, a, b: 1.0, None),
    }
)
"""Truth is 1, falsehood 0; `where` is its second operand where the first is true, else 0; `guard` is its first operand
where that is larger than the second, whatever its sign, else NaN.

Where a function has a kink, its derivative is one-sided: |x|' is 0 at 0, and of equal operands, `min` and `max` follow
the first.
"""


def symbol(name: str) -> str:
    """Return what an operation counts as."""
    return OPERATIONS[name].symbol or name
