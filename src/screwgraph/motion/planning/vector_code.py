"""Expressions of a robot as straight-line code that is written once and used many times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.compiler import compile_program
from screwgraph.optimize.manifold_code import number_names
from screwgraph.tape import Program, Tape, program


@dataclass(frozen=True, eq=False)
class VectorCode:
    """A function of vectors of floats, or of scalars of a tape, on which its code is written then."""

    program: Program
    shape: tuple[int, ...]

    def __call__(self, *vectors: Any) -> np.ndarray:
        """Return an array of that shape."""
        entries = [entry for v in vectors for entry in np.ravel(v).tolist()]
        found = self.program.on(entries)
        kind = float if all(isinstance(x, float | int) for x in entries) else object
        return np.array(found, dtype=kind).reshape(self.shape)


def trace_function(function: Callable[..., Any], *sizes: int) -> VectorCode:
    """Return the code of a function of vectors of these sizes."""
    tape = Tape(merge="form")
    vectors = [tape.inputs(f"x{i}", (size,)) for i, size in enumerate(sizes)]
    found = np.asarray(function(*vectors), dtype=object)
    return VectorCode(program(tape, found.ravel().tolist()), found.shape)


def compile_on_arrays(function: Callable[..., Any], sizes: tuple[int, ...], result: int) -> Callable[..., np.ndarray]:
    """Return a function of vectors of these sizes, with a vector as result, as machine code for arrays of them."""
    tape = Tape(merge="form")
    vectors = [tape.inputs(f"x{i}", (size,)) for i, size in enumerate(sizes)]
    code = program(tape, np.ravel(np.asarray(function(*vectors), dtype=object)).tolist())
    arguments = [((size,), number_names(f"x{i}", (size,))) for i, size in enumerate(sizes)]
    return compile_program("function", code, arguments, [(result,)]).ufunc
