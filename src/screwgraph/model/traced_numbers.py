"""Numbers that remember how they were computed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self

from screwgraph.tape import apply


class TracedNumber(float):
    """A number, and the scalar on a tape that it is the value of; what arithmetic makes of it is traced as well."""

    expression: Any

    def __new__(cls, value: float, expression: Any) -> Self:
        """Make a number of its value and its expression."""
        number = super().__new__(cls, value)
        number.expression = expression
        return number


def expression_of(number: Any) -> Any:
    """Return the expression of a traced number; other numbers are their own."""
    return number.expression if isinstance(number, TracedNumber) else number


def _operator(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def trace_operator(*numbers: Any) -> Any:
        value = getattr(float, name)(*map(_plain, numbers))
        # A float leaves the other operand's type, or a complex root, to Python.
        if value is NotImplemented or not isinstance(value, float):
            return value
        return TracedNumber(value, call(*map(expression_of, numbers)))

    return trace_operator


def _function(name: str) -> Callable[..., Any]:
    def trace_function(*numbers: Any) -> TracedNumber:
        return TracedNumber(getattr(math, name)(*map(_plain, numbers)), apply(name, *map(expression_of, numbers)))

    return trace_function


def _plain(number: Any) -> Any:
    return float(number) if isinstance(number, (int, float)) else number


_OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": lambda a, b: a + b,
    "__radd__": lambda a, b: b + a,
    "__sub__": lambda a, b: a - b,
    "__rsub__": lambda a, b: b - a,
    "__mul__": lambda a, b: a * b,
    "__rmul__": lambda a, b: b * a,
    "__truediv__": lambda a, b: a / b,
    "__rtruediv__": lambda a, b: b / a,
    "__pow__": lambda a, b: a**b,
    "__rpow__": lambda a, b: b**a,
    "__neg__": lambda a: -a,
    "__pos__": lambda a: a,
    "__abs__": abs,
}
_FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt")
for _name, _call in _OPERATORS.items():
    setattr(TracedNumber, _name, _operator(_name, _call))
for _name in _FUNCTIONS:
    setattr(TracedNumber, _name, _function(_name))
