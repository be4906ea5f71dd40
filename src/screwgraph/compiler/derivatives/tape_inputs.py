"""A fresh tape with a function's arguments on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from screwgraph.compiler.signature import Argument
from screwgraph.spatial.manifolds import product
from screwgraph.tape import SAMPLES, WIDE, Scalar, Tape

SEED = 7


def make_inputs(arguments: Sequence[Argument]) -> tuple[Tape, Mapping[str, Scalar]]:
    """Return a tape, and every number of the arguments on it, by name."""
    tape, rng = Tape(), np.random.default_rng(SEED)
    values: dict[str, Scalar] = {}
    for argument in arguments:
        inputs = tape.vector(argument.names, draw_samples(argument, rng), product(argument.spaces).quaternions)
        values |= zip(argument.names, inputs, strict=True)
    return tape, values


def draw_samples(argument: Argument, rng: np.random.Generator) -> np.ndarray:
    """Return random values (SAMPLES + WIDE, numbers) of an argument, positions on their manifolds."""
    count = SAMPLES + WIDE
    if not argument.spaces:
        return argument.size * rng.standard_normal((count, len(argument.names)))
    return np.array([np.concatenate([space.random(rng) for space in argument.spaces]) for _ in range(count)])


def inputs_by_form(arguments: Sequence[Argument]) -> tuple[Tape, Mapping[str, Scalar]]:
    """Return a tape that merges by form, and every number of the arguments on it, by name."""
    tape = Tape(merge="form")
    return tape, {name: tape.input(name) for argument in arguments for name in argument.names}
