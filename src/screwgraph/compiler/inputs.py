"""A fresh tape with a function's arguments on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from screwgraph.compiler.signature import Argument
from screwgraph.tape import SAMPLES, WIDE, Scalar, Tape

SEED = 7


def input_values(arguments: Sequence[Argument]) -> tuple[Tape, Mapping[str, Scalar]]:
    """Return a tape, and every number of the arguments on it, by name; positions are sampled where joints allow."""
    tape, rng, count = Tape(), np.random.default_rng(SEED), SAMPLES + WIDE
    values: dict[str, Scalar] = {}
    for argument in arguments:
        if argument.spaces:
            samples = np.array([np.concatenate([s.random(rng) for s in argument.spaces]) for _ in range(count)])
        else:
            samples = rng.standard_normal((count, len(argument.names)))
        for i, name in enumerate(argument.names):
            values[name] = tape.input(name, samples[:, i].tolist())
    return tape, values
