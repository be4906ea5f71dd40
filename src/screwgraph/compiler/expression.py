"""From an expression of vectors to a function of arrays: code that no elimination makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from screwgraph.compiler.cache import CachedCode
from screwgraph.compiler.compile import make_function
from screwgraph.compiler.derivatives.tape_inputs import inputs_by_form, make_inputs
from screwgraph.compiler.function.function import Function
from screwgraph.compiler.function.provenance import make_direct_provenance
from screwgraph.compiler.signature import Argument, Result
from screwgraph.elimination import cost
from screwgraph.tape import Number, Program, factor_out, program


def compile_expression(
    name: str,
    question: object,
    arguments: tuple[Argument, ...],
    expression: Callable[..., Sequence[Number]],
    *others: Callable[..., Sequence[Number]],
    results: tuple[Result, ...] | None = None,
    branches: bool = False,
) -> Function:
    """Return the numbers that an expression makes of vectors of scalars, one an argument, as a function.

    `question` is all that the expression depends on, `results` say how its numbers are arranged, by default as a
    vector. Of `others` that make the same numbers, the one of the shortest code is taken. Expressions with
    `branches`, such as logarithms of rotations, are not simplified by values.
    """

    def trace_program(way: Callable[..., Sequence[Number]], inputs: Sequence[str]) -> Program:
        tape, values = inputs_by_form(arguments) if branches else make_inputs(arguments)
        vectors = (np.array([values[name] for name in argument.names], dtype=object) for argument in arguments)
        with np.errstate(all="ignore"):  # what code is compared by may overflow
            return factor_out(program(tape, list(way(*vectors)), inputs))

    def make(inputs: Sequence[str]) -> CachedCode:
        return CachedCode(min((trace_program(way, inputs) for way in (expression, *others)), key=cost), "none")

    return make_function(
        name,
        (name, question),
        arguments,
        make,
        lambda _: make_direct_provenance("it is the code of an expression"),
        results,
        quietly=True,
    )
