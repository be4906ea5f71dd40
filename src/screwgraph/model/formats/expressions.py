"""Arithmetic in robot files: `2*L`, `-pi/2`, `sqrt(2)`; nothing else can be written."""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from graphlib import CycleError, TopologicalSorter
from keyword import iskeyword
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, parse_decimal, quote_text, suggest_name, validate_number

LONGEST = 200
"""Characters of an expression."""

CONSTANTS = {"pi": math.pi}
NOT_FINITE = ("inf", "infinity", "nan")
"""What files call numbers that are not finite, in capitals or not, with a dot before them or without."""
FINITE = "numbers are finite here"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "sqrt": math.sqrt,
    "abs": abs,
    "deg2rad": lambda degrees: degrees * math.pi / 180.0,
    "rad2deg": lambda radians: radians * 180.0 / math.pi,
}

UNRESERVED = ("deg2rad", "rad2deg")
"""Functions whose names parameters may have, too: pi/180 is often called so."""

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def evaluate(text: str, names: Mapping[str, float], what: str, at: Place) -> float:
    """Evaluate an expression over `names` and `CONSTANTS`; `what` is its name in messages.

    Raises:
        ModelError: no expression, an unknown name, or a value that is not a finite number.
    """
    value, word, names = parse_decimal(text), text.strip().lstrip("+-").removeprefix("."), {**CONSTANTS, **names}
    if value is None and word.casefold() in NOT_FINITE and word not in names:
        raise _make_expression_error(text, what, at, FINITE)
    if value is None:
        value = _value(parse_expression(text, what, at), text, names, what, at)
    return validate_number(value, text, what, at)


def evaluate_parameters(
    texts: Mapping[str, str], places: Mapping[str, Place], given: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Evaluate named expressions that may refer to one another in any order; the result holds `CONSTANTS` too.

    Values that are `given` take the place of expressions; the result holds them all.

    Raises:
        ModelError: as `evaluate` does, for a name that cannot be used, and where parameters depend on themselves.
    """
    uses = {}
    for name, text in texts.items():
        _check_name(name, places[name])
        tree = parse_expression(text, f"parameter {name!r}", places[name]) if parse_decimal(text) is None else None
        uses[name] = sorted(used for used in _names_in(tree) if used in texts)
    try:
        order = list(TopologicalSorter(uses).static_order())
    except CycleError as error:
        cycle = list(reversed(error.args[1]))
        raise ModelError(
            f"parameter {cycle[0]!r} depends on itself",
            at=places[cycle[0]],
            why=" -> ".join(cycle),
            fix="give one of them a number",
        ) from error
    values = {**(given or {}), **CONSTANTS}
    for name in order:
        if given and name in given:
            continue
        values[name] = evaluate(texts[name], values, f"parameter {name!r}", places[name])
    return values


def _check_name(name: str, at: Place) -> None:
    if name in CONSTANTS or (name in FUNCTIONS and name not in UNRESERVED):
        raise ModelError(f"a parameter is called {name!r}", at=at, why="that name is taken", fix="choose another")
    if not name.isidentifier() or not name.isascii() or iskeyword(name):
        raise ModelError(
            f"a parameter is called {quote_text(name)}",
            at=at,
            why="its name must be a word of letters, digits and _, and no word of Python",
            fix="choose another",
        )


def parse_expression(text: str, what: str, at: Place, longest: int = LONGEST) -> ast.expr:
    """Parse an expression of reasonable length to Python's tree; nothing is evaluated. Raises ModelError."""
    if len(text) > longest:
        raise ModelError(f"{what} is longer than {longest} characters", at=at, fix="split it with parameters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ModelError(
            f"{what} is {quote_text(text)}",
            at=at,
            why="it is neither a number nor arithmetic",
            fix="write it like 2*pi/3",
        ) from error


def _names_in(tree: ast.expr | None) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} if tree else set()


def _value(tree: ast.expr, text: str, names: Mapping[str, float], what: str, at: Place) -> float:
    from simpleeval import InvalidExpression, SimpleEval

    _check_known(tree, text, names, what, at)
    evaluator = SimpleEval(operators=_OPERATORS, functions=_ANSWERED, names=dict(names))
    allowed = (ast.Name, ast.BinOp, ast.UnaryOp, ast.Call)
    handlers: dict[type, Any] = dict(evaluator.nodes or {})
    evaluator.nodes = {node: handlers[node] for node in allowed} | {ast.Constant: _constant}
    try:
        value = evaluator.eval(text, previously_parsed=tree)
    except InvalidExpression as error:
        raise _make_expression_error(
            text, what, at, "only numbers, parameters, + - * / ** and sin, cos, ... are allowed there"
        ) from error
    except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
        raise _make_expression_error(text, what, at, str(error.args[-1])) from error
    if not isinstance(value, float):
        raise _make_expression_error(text, what, at, "its value is not a real number")
    return value


def _make_generic(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that leaves numbers which carry more than their value to their own method of that name."""

    def generic_function(*numbers: Any) -> Any:
        own = next((getattr(type(x), name) for x in numbers if hasattr(x, name)), function)
        return own(*numbers)

    return generic_function


_ANSWERED = {name: _make_generic(name, function) for name, function in FUNCTIONS.items()}


def _check_known(tree: ast.expr, text: str, names: Mapping[str, float], what: str, at: Place) -> None:
    known = [*names, *FUNCTIONS]
    for name in sorted(_names_in(tree) - set(known)):
        if name.casefold() in NOT_FINITE:
            raise _make_expression_error(text, what, at, FINITE)
        if not names.keys() - CONSTANTS.keys():
            fix = suggest_name(name, known) or "write one, or arithmetic like 2*pi/3"
            raise ModelError(f"{what} is {quote_text(text)}", at=at, why=f"{quote_text(name)} is no number", fix=fix)
        raise ModelError(
            f"{what} is {quote_text(text)}",
            at=at,
            why=f"no parameter is called {quote_text(name)}",
            fix=suggest_name(name, known, "known are"),
        )


def _constant(node: ast.Constant) -> float:
    """Every number is a float, so that powers overflow at once instead of growing."""
    if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
        raise ValueError(f"{quote_text(node.value)} is not a number")
    return float(node.value)


def _make_expression_error(text: str, what: str, at: Place, why: str) -> ModelError:
    return ModelError(f"{what} is {quote_text(text)}", at=at, why=why, fix="write a number, or arithmetic like 2*pi/3")
