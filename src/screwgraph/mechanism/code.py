"""Equations of a mechanism as compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from screwgraph.compiler import Argument, Function, Made, Origin, make_function
from screwgraph.errors import InputError
from screwgraph.models.mechanism import Mechanism, without_metadata
from screwgraph.tape import SAMPLES, WIDE, Program, Tape, factor_out, program


def compiled_code(
    name: str, mechanism: Mechanism, kinds: Sequence[str], expression: Callable[..., Sequence[Any]]
) -> Function:
    """Return a function of vectors (n,), named `kinds`: the numbers that `expression` makes of them."""

    def make(inputs: Sequence[str]) -> Made:
        tape, rng = Tape(), np.random.default_rng(0)
        samples = rng.standard_normal((len(inputs), SAMPLES + WIDE)).tolist()
        scalars = iter([tape.input(name, own) for name, own in zip(inputs, samples, strict=True)])
        vectors = [[next(scalars) for _ in range(mechanism.n)] for _ in kinds]
        return Made(factor_out(program(tape, expression(*vectors), inputs)), "none")

    return _function(name, mechanism, kinds, make)


def compiled_program(name: str, mechanism: Mechanism, kinds: Sequence[str], code: Program) -> Function:
    """Return a program of a mechanism's equations as a function of vectors (n,), named `kinds`."""
    return _function(name, mechanism, kinds, lambda inputs: Made(code, "none"))


def _function(name: str, mechanism: Mechanism, kinds: Sequence[str], make: Callable[[Sequence[str]], Made]) -> Function:
    n = mechanism.n
    listed = tuple(Argument(kind, (n,), tuple(f"{kind}[{i}]" for i in range(n))) for kind in kinds)
    return make_function(
        name, (f"mechanism: {name}", without_metadata(mechanism), *kinds), listed, make, _no_elimination
    )


def _no_elimination(_: Made) -> Origin:
    def refuse() -> NoReturn:
        raise InputError("this function was not made by elimination", why="it is code of a mechanism's equations")

    return Origin(refuse, dict)
