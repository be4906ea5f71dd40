"""Arithmetic over joint positions, kept as a tree: evaluated, differentiated and printed, never executed as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from operator import add, mul, sub, truediv
from typing import Any

from screwgraph.model.robot.functions import OF_ONE, OF_TWO, apply_function
from screwgraph.spatial import Taylor


@dataclass(frozen=True)
class Constant:
    """A number."""

    value: float


@dataclass(frozen=True)
class Position:
    """The position (rad or m) of a joint of one coordinate."""

    joint: str


@dataclass(frozen=True)
class Operation:
    """One of `+ - * /` on two operands, or a function by its name: sin, sqrt, ... of one, atan2, min, max, pow of two.

    The exponent of `pow` is a `Constant`. Where a function has no derivative, motors have no lever arm: that of sqrt at
    0 is infinite, that of abs at 0 counts as 0, and where their operands are equal, min and max follow the first.
    """

    symbol: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Power:
    """A whole, not negative power."""

    base: Expression
    exponent: int


Expression = Constant | Position | Operation | Power

FUNCTIONS = (*OF_ONE, *OF_TWO)
"""Names of the functions that an `Operation` may have."""

_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2}
_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul, "/": truediv}

_Number = Callable[[float], Any]
"""What makes a number of the positions' kind of a float."""
_Evaluator = Callable[[Mapping[str, Any], _Number], Any]
"""From positions to a value."""


def evaluate(expression: Expression, positions: Mapping[str, Any]) -> Any:
    """Return the value at the positions of joints: numbers of any kind, tape scalars, `Taylor`."""
    return make_evaluator(expression)(positions)


def make_evaluator(expression: Expression) -> Callable[[Mapping[str, Any]], Any]:
    """Return `evaluate` of one expression, which can be pickled: its tree is looked at once."""
    return partial(_evaluate_at, _evaluator(expression))


def joints_in(expression: Expression) -> tuple[str, ...]:
    """Return the names of the joints that occur, in the order in which they do."""
    match expression:
        case Position(joint):
            return (joint,)
        case Operation(_, operands):
            return tuple(dict.fromkeys(joint for operand in operands for joint in joints_in(operand)))
        case Power(base, _):
            return joints_in(base)
    return ()


def substitute_positions(expression: Expression, positions: Mapping[str, float]) -> Expression:
    """Return the expression with some joints held at fixed positions, what is constant then worked out."""
    match expression:
        case Position(joint) if joint in positions:
            return Constant(float(positions[joint]))
        case Operation(symbol, operands):
            result: Expression = Operation(
                symbol, tuple(substitute_positions(operand, positions) for operand in operands)
            )
        case Power(base, exponent):
            result = Power(substitute_positions(base, positions), exponent)
        case _:
            return expression
    return result if joints_in(result) else Constant(float(evaluate(result, {})))


def rename_positions(expression: Expression, prefix: str) -> Expression:
    """Return the expression with a prefix before the names of joints."""
    match expression:
        case Position(joint):
            return Position(prefix + joint)
        case Operation(symbol, operands):
            return Operation(symbol, tuple(rename_positions(operand, prefix) for operand in operands))
        case Power(base, exponent):
            return Power(rename_positions(base, prefix), exponent)
    return expression


def text_of(expression: Expression, names: Mapping[str, str]) -> str:
    """Print an expression as arithmetic, each joint under the name that `names` gives it."""
    return _text(expression, names)[0]


def _evaluate_at(value: _Evaluator, positions: Mapping[str, Any]) -> Any:
    like = next(iter(positions.values()), 0.0)
    return value(positions, Taylor if isinstance(like, Taylor) else float)


def _evaluator(expression: Expression) -> _Evaluator:
    match expression:
        case Constant(value):
            return partial(_constant, value)
        case Position(joint):
            return partial(_position, joint)
        case Power(base, exponent):
            return partial(_power, _evaluator(base), exponent)
        case Operation(symbol, (operand,)) if symbol in OF_ONE:
            return partial(_of_one, partial(apply_function, symbol), _evaluator(operand))
        case Operation(symbol, (a, b)) if symbol in OF_TWO or symbol in _ARITHMETIC:
            function = _ARITHMETIC.get(symbol) or partial(apply_function, symbol)
            return partial(_of_two, function, _evaluator(a), _evaluator(b))
        case Operation(symbol, operands):
            raise TypeError(f"{symbol!r} of {len(operands)} operands is not an operation")
    raise TypeError(f"expected an expression, got {expression!r}")


def _constant(value: float, positions: Mapping[str, Any], number: _Number) -> Any:
    return number(value)


def _position(joint: str, positions: Mapping[str, Any], number: _Number) -> Any:
    return positions[joint]


def _power(base: _Evaluator, exponent: int, positions: Mapping[str, Any], number: _Number) -> Any:
    factor = base(positions, number)
    return prod([factor] * (exponent - 1), start=factor) if exponent else number(1.0)


def _of_one(function: Callable[[Any], Any], a: _Evaluator, positions: Mapping[str, Any], number: _Number) -> Any:
    return function(a(positions, number))


def _of_two(
    function: Callable[[Any, Any], Any], a: _Evaluator, b: _Evaluator, positions: Mapping[str, Any], number: _Number
) -> Any:
    return function(a(positions, number), b(positions, number))


def _text(expression: Expression, names: Mapping[str, str]) -> tuple[str, int]:
    """Return the text, and how strongly it binds."""
    match expression:
        case Constant(value):
            text = repr(int(value)) if value.is_integer() and abs(value) < 1e6 else repr(value)
            return text, 4 if value >= 0.0 else 0
        case Position(joint):
            return names[joint], 4
        case Power(base, exponent):
            return f"{_format_operand(base, names, 4)}**{exponent}", 3
        case Operation(symbol, operands) if symbol in FUNCTIONS:
            return f"{symbol}({', '.join(_text(operand, names)[0] for operand in operands)})", 4
        case Operation(symbol, (left, right)):
            binding = _BINDING[symbol]
            return (
                f"{_format_operand(left, names, binding)} {symbol} {_format_operand(right, names, binding + 1)}",
                binding,
            )
    raise TypeError(f"expected an expression, got {expression!r}")


def _format_operand(expression: Expression, names: Mapping[str, str], binding: int) -> str:
    text, own = _text(expression, names)
    return text if own >= binding else f"({text})"
