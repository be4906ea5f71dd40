"""Equations between joint positions: `carrier - 0.5*(left + right)`, `sin(crank) = 2*slider`."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from functools import reduce

import numpy as np

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import LARGEST, Place, parse_decimal, quote_text, suggest_name
from screwgraph.model.formats.expressions import parse_expression
from screwgraph.model.robot import Constant, Coupling, Expression, Operation, Position, Power
from screwgraph.model.robot.functions import OF_ONE
from screwgraph.model.robot.position_expression import evaluate, joints_in

MANY = 20
"""Arguments of functions of any number."""
CALLED: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(OF_ONE, (1, 1)),
    **dict.fromkeys(("atan2", "pow"), (2, 2)),
    **dict.fromkeys(("hypot", "min", "max"), (2, MANY)),
}
"""Functions of positions, and of how many numbers they are."""
HIGHEST_POWER = 16
LONGEST_EQUATION = 2000
"""Characters on either side of the equals sign."""
DEEPEST = 60
"""Operations within operations."""

_SYMBOLS: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def parse_coupling(
    name: str, text: str, numbers: Mapping[str, float], joints: Mapping[str, str], what: str, at: Place
) -> Coupling:
    """Read the coupling that an equation states; without `=` the expression must be zero.

    `numbers` are the named constants, `joints` the words that stand for joints. An equation that is linear in the
    positions becomes constant coefficients.

    Raises:
        ModelError: no arithmetic, an unknown word, or a function that has jumps.
    """
    left, equals, right = text.partition("=")
    expression = parse_position_expression(left, numbers, joints, what, at)
    if equals:
        expression = _operation("-", expression, parse_position_expression(right, numbers, joints, what, at))
    linear = _linear(expression)
    if linear is None:
        return Coupling(name, {}, 0.0, expression)
    terms, constant = linear
    return Coupling(name, terms, -constant)


def parse_position_expression(
    text: str, numbers: Mapping[str, float], joints: Mapping[str, str], what: str, at: Place
) -> Expression:
    """Parse arithmetic over joint positions; what is constant is worked out. Raises ModelError."""
    value = parse_decimal(text)
    if value is not None:
        return Constant(value)
    tree = parse_expression(text, what, at, LONGEST_EQUATION)
    words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    known = {*numbers, *joints, *CALLED}
    for word in sorted(words - known):
        raise ModelError(
            f"{what} is {quote_text(text)}",
            at=at,
            why=f"neither a joint nor a parameter is called {quote_text(word)}",
            fix=suggest_name(word, sorted(known), "known are"),
        )
    for word in sorted(words & set(joints) & set(numbers)):
        raise ModelError(
            f"{what} is {quote_text(text)}",
            at=at,
            why=f"{word!r} is a joint and a parameter",
            fix="rename the parameter",
        )
    try:
        return _check_depth(_convert_tree(tree, numbers, joints))
    except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
        raise ModelError(
            f"{what} is {quote_text(text)}",
            at=at,
            why=str(error.args[-1]),
            fix=f"use + - * / ** and {', '.join(CALLED)} of positions",
        ) from error


def _convert_tree(node: ast.expr, numbers: Mapping[str, float], joints: Mapping[str, str]) -> Expression:
    """Turn Python's tree into ours; raises ValueError and its kin for what has no place in an equation."""
    match node:
        case ast.Constant(value) if isinstance(value, (int, float)) and not isinstance(value, bool):
            return Constant(float(value))
        case ast.Name(word) if word in joints:
            return Position(joints[word])
        case ast.Name(word) if word in numbers:
            return Constant(numbers[word])
        case ast.UnaryOp(ast.USub(), operand):
            return _operation("*", Constant(-1.0), _convert_tree(operand, numbers, joints))
        case ast.UnaryOp(ast.UAdd(), operand):
            return _convert_tree(operand, numbers, joints)
        case ast.BinOp(left, ast.Pow(), right):
            return _power(_convert_tree(left, numbers, joints), _convert_tree(right, numbers, joints))
        case ast.BinOp(left, symbol, right) if type(symbol) in _SYMBOLS:
            operands = (_convert_tree(left, numbers, joints), _convert_tree(right, numbers, joints))
            return _operation(_SYMBOLS[type(symbol)], *operands)
        case ast.Call(ast.Name(function), [*arguments], []) if function in CALLED:
            return _make_call(function, [_convert_tree(argument, numbers, joints) for argument in arguments])
    raise ValueError("only joints, numbers, parameters, + - * / ** and functions are allowed there")


def _operation(symbol: str, left: Expression, right: Expression) -> Expression:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(_ARITHMETIC[symbol](left.value, right.value))
    if symbol == "/" and isinstance(right, Constant) and not right.value:
        raise ValueError("it divides by zero")
    return Operation(symbol, (left, right))


def _power(base: Expression, exponent: Expression) -> Expression:
    """Return whole powers as such, others by the square root or `pow`; an exponent with positions by exp and log."""
    if not isinstance(exponent, Constant):
        return _make_call("exp", [_operation("*", exponent, _make_call("log", [base]))])
    if isinstance(base, Constant):
        return Constant(_real(base.value**exponent.value))
    size = abs(exponent.value)
    if size > HIGHEST_POWER:
        raise ValueError(f"exponents of positions are at most {HIGHEST_POWER}")
    if size == 0.5:
        positive: Expression = Operation("sqrt", (base,))
    else:
        whole = int(size) == size
        positive = Power(base, int(size)) if whole else Operation("pow", (base, Constant(size)))
    return positive if exponent.value >= 0 else Operation("/", (Constant(1.0), positive))


def _make_call(function: str, arguments: list[Expression]) -> Expression:
    """Return a function of expressions, constants worked out; hypot is a root, and min and max go pair by pair."""
    least, most = CALLED[function]
    if not least <= len(arguments) <= most:
        raise ValueError(
            f"{function} takes {least if least == most else f'{least} or more'} numbers, not {len(arguments)}"
        )
    if function == "hypot":
        squares = [Power(argument, 2) for argument in arguments]
        total = reduce(lambda a, b: _operation("+", a, b), map(_worked_out, squares))
        return _make_call("sqrt", [total])
    if function == "pow":
        return _power(*arguments)
    if len(arguments) > 2:
        return reduce(lambda a, b: _make_call(function, [a, b]), arguments)
    return _worked_out(Operation(function, tuple(arguments)))


def _worked_out(expression: Expression) -> Expression:
    if joints_in(expression):
        return expression
    with np.errstate(all="ignore"):  # what is no number is refused
        return Constant(_real(evaluate(expression, {})))


def _real(value: object) -> float:
    """Return a number; raises ValueError for what is none, as the square root of -1."""
    if isinstance(value, complex) or not math.isfinite(float(value)):  # pyright: ignore[reportArgumentType]
        raise ValueError("a part of it is not a real number")
    return float(value)  # pyright: ignore[reportArgumentType]


def _check_depth(expression: Expression, depth: int = 0) -> Expression:
    if depth > DEEPEST:
        raise ValueError(f"more than {DEEPEST} operations lie within one another")
    match expression:
        case Constant(value) if not abs(value) <= LARGEST:
            raise ValueError(f"no parameter of a robot exceeds {LARGEST:g} in SI units")
        case Operation(_, operands):
            for operand in operands:
                _check_depth(operand, depth + 1)
        case Power(base, _):
            _check_depth(base, depth + 1)
    return expression


def _linear(expression: Expression) -> tuple[dict[str, float], float] | None:
    """Return coefficients and constant of an expression that is linear by its form; None for any other."""
    match expression:
        case Constant(value):
            return {}, value
        case Position(joint):
            return {joint: 1.0}, 0.0
        case Operation("+" | "-" as symbol, (left, right)):
            a, b = _linear(left), _linear(right)
            return None if a is None or b is None else _sum(a, _scale_terms(b, 1.0 if symbol == "+" else -1.0))
        case Operation("*", (Constant(factor), other)) | Operation("*", (other, Constant(factor))):
            inner = _linear(other)
            return None if inner is None else _scale_terms(inner, factor)
        case Operation("/", (other, Constant(divisor))):
            inner = _linear(other)
            return None if inner is None else _scale_terms(inner, 1.0 / divisor)
        case Power(base, 1):
            return _linear(base)
    return None


def _sum(a: tuple[dict[str, float], float], b: tuple[dict[str, float], float]) -> tuple[dict[str, float], float]:
    joints = dict.fromkeys([*a[0], *b[0]])
    return {joint: a[0].get(joint, 0.0) + b[0].get(joint, 0.0) for joint in joints}, a[1] + b[1]


def _scale_terms(a: tuple[dict[str, float], float], factor: float) -> tuple[dict[str, float], float]:
    return {joint: c * factor for joint, c in a[0].items()}, a[1] * factor
