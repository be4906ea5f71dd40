"""Expressions of a robot as straight-line code that is written once and used many times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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
    _last: list[tuple[list[Any], np.ndarray]] = field(default_factory=list, repr=False)
    """The last floats and their result: goals of a task are asked for again by each of its searches."""

    def __call__(self, *vectors: Any) -> np.ndarray:
        """Return an array of that shape."""
        entries = [entry for v in vectors for entry in np.ravel(v).tolist()]
        if not all(isinstance(x, float | int) for x in entries):
            return np.array(self.program.on(entries), dtype=object).reshape(self.shape)
        known = self._last.copy()  # another thread may put its own there meanwhile
        if not known or known[0][0] != entries:
            known = self._last[:] = [(entries, np.array(self.program.on(entries), dtype=float))]
        return known[0][1].reshape(self.shape).copy()


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
