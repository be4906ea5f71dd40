"""Functions of arrays of scalars: code written once more, on the tape of these."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from screwgraph.compiler.signature import Argument, Result
from screwgraph.tape import Program, Scalar


def are_symbolic(values: Sequence[Any]) -> bool:
    """Whether some values are arrays of scalars of a tape, the others of numbers."""
    entries = [x for v in values if isinstance(v, np.ndarray) and v.dtype == object for x in v.flat]
    return any(isinstance(x, Scalar) for x in entries) and all(isinstance(x, Scalar | Real) for x in entries)


def inline_on_tape(
    program: Program, arguments: Sequence[Argument], results: Sequence[Result], values: Sequence[Any]
) -> np.ndarray | tuple[np.ndarray, ...]:
    """Write a function on the tape whose scalars are in arrays of objects, for one state; return arrays of scalars."""
    given = {
        name: x
        for argument, value in zip(arguments, values, strict=True)
        for name, x in zip(argument.names, np.broadcast_to(value, argument.shape).ravel(), strict=True)
    }
    numbers = iter(program.on([given[name] for name in program.input_names]))
    found = [np.array([next(numbers) for _ in range(r.size)], dtype=object).reshape(r.shape) for r in results]
    return found[0] if len(found) == 1 else tuple(found)
