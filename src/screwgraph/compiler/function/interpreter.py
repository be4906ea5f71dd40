"""Straight-line code on arrays of states, without machine code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.compiler.signature import Argument, Result, concatenate_columns
from screwgraph.tape import Program

CHUNK = 1024
"""States at once: every operation keeps its values."""
MAKING, CALLED, EACH = 3e-4, 1e-6, 2e-9
"""Seconds an operation that it takes to make machine code, and to interpret: once, and for each state."""


def estimate_seconds(program: Program, states: int) -> float:
    """Return about how long it takes to interpret code at so many states."""
    return len(program.instructions) * (CALLED * (1 + states // CHUNK) + EACH * states)


def interpret_program(
    program: Program, arguments: Sequence[Argument], results: Sequence[Result], arrays: Sequence[np.ndarray]
) -> np.ndarray | tuple[np.ndarray, ...]:
    """Return what a function returns for arguments whose leading axes broadcast."""
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(a.shape)] for x, a in zip(arrays, arguments, strict=True)))
    names = [name for argument in arguments for name in argument.names]
    columns = [np.broadcast_to(column, batch).ravel() for column in concatenate_columns(arguments, arrays)]
    flat = dict(zip(names, columns, strict=True))
    given = [flat[name] for name in program.input_names]
    found = np.empty((int(np.prod(batch)), len(program.outputs)))
    for start in range(0, len(found), CHUNK):
        part = slice(start, start + CHUNK)
        for i, value in enumerate(program.evaluate([column[part] for column in given])):
            found[part, i] = value
    ends = np.cumsum([r.size for r in results])
    parts = [x.reshape((*batch, *r.shape)) for x, r in zip(np.split(found, ends[:-1], axis=1), results, strict=True)]
    return parts[0] if len(parts) == 1 else tuple(parts)
