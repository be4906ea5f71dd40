"""Equations between joint positions: `carrier - 0.5*(left + right)`, `sin(crank) = 2*slider`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

from screwgraph.errors import ModelError
from screwgraph.formats.diagnostics import LARGEST, Place, decimal, did_you_mean, shown
from screwgraph.formats.expressions import FUNCTIONS, parsed
from screwgraph.robot import Constant, Coupling, Expression, Operation, Position, Power

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


def coupling_of(
    name: str, text: str, numbers: Mapping[str, float], joints: Mapping[str, str], what: str, at: Place
) -> Coupling:
    """Read the coupling that an equation states; without `=` the expression must be zero.

    `numbers` are the named constants, `joints` the words that stand for joints. An equation that is linear in the
    positions becomes constant coefficients.

    Raises:
        ModelError: no arithmetic, an unknown word, or functions of positions other than sin, cos, tan.
    """
    left, equals, right = text.partition("=")
    expression = position_expression(left, numbers, joints, what, at)
    if equals:
        expression = _operation("-", expression, position_expression(right, numbers, joints, what, at))
    linear = _linear(expression)
    if linear is None:
        return Coupling(name, {}, 0.0, expression)
    terms, constant = linear
    return Coupling(name, terms, -constant)


def position_expression(
    text: str, numbers: Mapping[str, float], joints: Mapping[str, str], what: str, at: Place
) -> Expression:
    """Parse arithmetic over joint positions; what is constant is worked out. Raises ModelError."""
    value = decimal(text)
    if value is not None:
        return Constant(value)
    tree = parsed(text, what, at, LONGEST_EQUATION)
    words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    known = {*numbers, *joints, *FUNCTIONS}
    for word in sorted(words - known):
        raise ModelError(
            f"{what} is {shown(text)}",
            at=at,
            why=f"neither a joint nor a parameter is called {shown(word)}",
            fix=did_you_mean(word, sorted(known), "known are"),
        )
    for word in sorted(words & set(joints) & set(numbers)):
        raise ModelError(
            f"{what} is {shown(text)}", at=at, why=f"{word!r} is a joint and a parameter", fix="rename the parameter"
        )
    try:
        return _checked(_converted(tree, numbers, joints))
    except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
        raise ModelError(
            f"{what} is {shown(text)}",
            at=at,
            why=str(error.args[-1]),
            fix="use + - * / ** and sin, cos, tan of positions",
        ) from error


def _converted(node: ast.expr, numbers: Mapping[str, float], joints: Mapping[str, str]) -> Expression:
    """Turn Python's tree into ours; raises ValueError and its kin for what has no place in an equation."""
    match node:
        case ast.Constant(value) if isinstance(value, (int, float)) and not isinstance(value, bool):
            return Constant(float(value))
        case ast.Name(word) if word in joints:
            return Position(joints[word])
        case ast.Name(word) if word in numbers:
            return Constant(numbers[word])
        case ast.UnaryOp(ast.USub(), operand):
            return _operation("*", Constant(-1.0), _converted(operand, numbers, joints))
        case ast.UnaryOp(ast.UAdd(), operand):
            return _converted(operand, numbers, joints)
        case ast.BinOp(left, ast.Pow(), right):
            return _power(_converted(left, numbers, joints), _converted(right, numbers, joints))
        case ast.BinOp(left, symbol, right) if type(symbol) in _SYMBOLS:
            operands = (_converted(left, numbers, joints), _converted(right, numbers, joints))
            return _operation(_SYMBOLS[type(symbol)], *operands)
        case ast.Call(ast.Name(function), [*arguments], []) if function in FUNCTIONS:
            return _called(function, [_converted(argument, numbers, joints) for argument in arguments])
    raise ValueError("only joints, numbers, parameters, + - * / ** and functions are allowed there")


def _operation(symbol: str, left: Expression, right: Expression) -> Expression:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(_ARITHMETIC[symbol](left.value, right.value))
    if symbol == "/" and isinstance(right, Constant) and not right.value:
        raise ValueError("it divides by zero")
    return Operation(symbol, (left, right))


def _power(base: Expression, exponent: Expression) -> Expression:
    if not isinstance(exponent, Constant):
        raise ValueError("an exponent must be a number")
    if isinstance(base, Constant):
        return Constant(float(base.value**exponent.value))
    whole = int(exponent.value)
    if whole != exponent.value or abs(whole) > HIGHEST_POWER:
        raise ValueError(f"exponents of positions are whole numbers up to {HIGHEST_POWER}")
    positive = Power(base, abs(whole))
    return positive if whole >= 0 else Operation("/", (Constant(1.0), positive))


def _called(function: str, arguments: list[Expression]) -> Expression:
    numbers = [argument.value for argument in arguments if isinstance(argument, Constant)]
    if len(numbers) == len(arguments):
        return Constant(float(FUNCTIONS[function](*numbers)))
    if len(arguments) != 1 or function not in ("sin", "cos", "tan"):
        raise ValueError(f"of positions only sin, cos and tan can be taken, not {function}")
    if function == "tan":
        return Operation("/", (Operation("sin", (arguments[0],)), Operation("cos", (arguments[0],))))
    return Operation(function, (arguments[0],))


def _checked(expression: Expression, depth: int = 0) -> Expression:
    if depth > DEEPEST:
        raise ValueError(f"more than {DEEPEST} operations lie within one another")
    match expression:
        case Constant(value) if not abs(value) <= LARGEST:
            raise ValueError(f"no parameter of a robot exceeds {LARGEST:g} in SI units")
        case Operation(_, operands):
            for operand in operands:
                _checked(operand, depth + 1)
        case Power(base, _):
            _checked(base, depth + 1)
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
            return None if a is None or b is None else _sum(a, _scaled(b, 1.0 if symbol == "+" else -1.0))
        case Operation("*", (Constant(factor), other)) | Operation("*", (other, Constant(factor))):
            inner = _linear(other)
            return None if inner is None else _scaled(inner, factor)
        case Operation("/", (other, Constant(divisor))):
            inner = _linear(other)
            return None if inner is None else _scaled(inner, 1.0 / divisor)
        case Power(base, 1):
            return _linear(base)
    return None


def _sum(a: tuple[dict[str, float], float], b: tuple[dict[str, float], float]) -> tuple[dict[str, float], float]:
    joints = dict.fromkeys([*a[0], *b[0]])
    return {joint: a[0].get(joint, 0.0) + b[0].get(joint, 0.0) for joint in joints}, a[1] + b[1]


def _scaled(a: tuple[dict[str, float], float], factor: float) -> tuple[dict[str, float], float]:
    return {joint: c * factor for joint, c in a[0].items()}, a[1] * factor
