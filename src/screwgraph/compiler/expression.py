"""From an expression of vectors to a function of arrays: code that no elimination makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np

from screwgraph.compiler.cache import Made
from screwgraph.compiler.compile import make_function
from screwgraph.compiler.function import Function, Origin
from screwgraph.compiler.signature import Argument
from screwgraph.errors import InputError
from screwgraph.tape import SAMPLES, WIDE, Number, Tape, factor_out, program

SEED = 20260
"""The random states of the tape: fixed, so that the same expression gives the same code."""


def compile_expression(
    name: str, question: object, arguments: tuple[Argument, ...], expression: Callable[..., Sequence[Number]]
) -> Function:
    """Return the numbers that an expression makes of vectors of scalars, one an argument, as a function.

    `question` is all that the expression depends on.
    """

    def make(inputs: Sequence[str]) -> Made:
        tape = Tape()
        vectors = [_inputs(tape, argument, SEED + i) for i, argument in enumerate(arguments)]
        return Made(factor_out(program(tape, list(expression(*vectors)), inputs)), "none")

    def refuse() -> NoReturn:
        raise InputError("this function was not made by elimination", why="it is the code of an expression")

    return make_function(name, (name, question), arguments, make, lambda _: Origin(refuse, dict))


def _inputs(tape: Tape, argument: Argument, seed: int) -> np.ndarray:
    """Add an argument to a tape, with positions on their manifolds."""
    rng, size, count = np.random.default_rng(seed), len(argument.names), SAMPLES + WIDE
    if argument.spaces:
        samples = np.array([np.concatenate([space.random(rng) for space in argument.spaces]) for _ in range(count)])
    else:
        samples = rng.standard_normal((count, size))
    entries = np.empty(size, dtype=object)
    for i, name in enumerate(argument.names):
        entries[i] = tape.input(name, samples[:, i].tolist())
    return entries
