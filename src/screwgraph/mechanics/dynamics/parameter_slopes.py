"""Slopes of inverse dynamics by parameters in which it is linear: the code of regressors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from screwgraph.compiler import PARAMETERS, CachedCode, Function, Result, make_function
from screwgraph.compiler.cache import pack_program
from screwgraph.compiler.derivatives.tape_inputs import make_inputs
from screwgraph.tape import factor_out, program


def fix_parameters(whole: Function, labels: Sequence[str], at: Mapping[str, float]) -> Function:
    """Return the derivatives (..., rows, k) of inverse dynamics by its parameters, where these are `at`, else 0."""
    slopes = whole.jacobian(PARAMETERS)
    arguments = tuple(a for a in slopes.arguments if a.name != PARAMETERS)
    code = slopes.program

    def make(inputs: Sequence[str]) -> CachedCode:
        tape, values = make_inputs(arguments)
        outputs = code.on([values.get(name, at.get(name, 0.0)) for name in code.input_names])
        return CachedCode(factor_out(program(tape, outputs, inputs)), slopes.ordering)

    rows = whole.results[0].names
    result = Result("result", (len(rows), len(labels)), tuple(f"{row} by {label}" for row in rows for label in labels))
    origin = replace(slopes.origin, analytic=None, vanished=None)
    key = ("regressor", pack_program(code), tuple(at.items()))
    return make_function("regressor", key, arguments, make, lambda _: origin, (result,))
