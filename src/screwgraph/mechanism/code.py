"""Expressions of a mechanism as compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from screwgraph.compiler import Argument, Function, Made, Origin, casadi_program, make_function
from screwgraph.errors import InputError
from screwgraph.mechanism.mechanism import Mechanism


def compiled_code(
    name: str,
    mechanism: Mechanism,
    arguments: Sequence[tuple[str, int]],
    expression: Callable[..., Any],
    *question: object,
) -> Function:
    """Return a function of vectors, (name, size) each, whose result is the column that `expression` makes of them.

    `question` is what that depends on besides the mechanism.
    """

    def make(inputs: Sequence[str]) -> Made:
        import casadi as ca

        symbols = [ca.SX.sym(argument, size) for argument, size in arguments]
        result = ca.densify(ca.SX(expression(*symbols)))
        return Made(casadi_program(ca.Function(name, symbols, [result]), tuple(inputs)), "none")

    listed = tuple(Argument(a, (n,), tuple(f"{a}[{i}]" for i in range(n))) for a, n in arguments)
    asked = (f"mechanism: {name}", _what_equations_need(mechanism), tuple(arguments), *question)
    return make_function(name, asked, listed, make, _no_elimination)


def _what_equations_need(mechanism: Mechanism) -> Mechanism:
    return replace(mechanism, places={}, sensors=(), independent=(), velocities={}, source=None)


def _no_elimination(_: Made) -> Origin:
    def refuse() -> NoReturn:
        raise InputError("this function was not made by elimination", why="it is code of a mechanism's equations")

    return Origin(refuse, dict)
