"""Functions as other libraries and languages take them: quaternions are divided by their lengths.

Functions that are exported together have their texts in one language, and become one function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends import BACKENDS, ExportedFunction, Library
from screwgraph.compiler.backends.casadi import casadi_function
from screwgraph.compiler.cache import CachedCode, get_or_make_code, pack_code
from screwgraph.compiler.derivatives.ambient_function import (
    AmbientFunction,
    to_ambient_arguments,
    to_ambient_derivatives,
)
from screwgraph.compiler.derivatives.derivative_code import batch_code
from screwgraph.compiler.unit_quaternions import exported_places, normalise_inputs, normalising, quaternion_places
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.tape import Code

if TYPE_CHECKING:
    from screwgraph.compiler.function.function import Function


def to_casadi(f: Function) -> Any:
    """Return a `casadi.Function` of column vectors."""
    arguments = [(a.name, a.names) for a in f.arguments]
    program = normalising(f.program, f.arguments, exported_places(f.arguments))
    return casadi_function(f.name, program, arguments, [(r.name, r.size) for r in f.results])


def export_function(f: Function, name: str) -> ExportedFunction:
    """Return the function as back ends write it for other programs, under a name."""
    code = normalise_inputs(batch_code(f.body), f.arguments)

    def compute(values: Sequence[np.ndarray]) -> list[np.ndarray]:
        shaped = [np.reshape(x, (len(x), *a.shape)) for x, a in zip(values, f.arguments, strict=True)]
        calls = [f(*given) for given in zip(*shaped, strict=True)]  # batches would have machine code of their own
        results = zip(*calls, strict=True) if len(f.results) > 1 else [calls]
        return [np.array([np.ravel(x) for x in found]) for found in results]

    return ExportedFunction(name, code, f.arguments, f.results, f.dtype, f.origin.examples, compute)


def emit_llvm_text(f: Function) -> str:
    """Return the LLVM assembly that machine code is made from here, which leaves quaternions as they are."""
    own = ExportedFunction(f.name, batch_code(f.body), f.arguments, f.results, f.dtype)
    return BACKENDS["llvm"].files(Library("", (own,)))[f"{f.name}.ll"]


def make_ambient_function(f: Function) -> AmbientFunction:
    """Return the function of plain numbers, and how to differentiate it by them."""
    places, sizes = quaternion_places(f.arguments), [r.size for r in f.results]

    def slopes(by: tuple[str, ...]) -> Code:
        tangent = f.jacobian(*by)
        code = batch_code(tangent.body)
        if not places:
            return code
        question = ("coordinates", pack_code(code), f.arguments, by, sizes)
        return get_or_make_code(
            question,
            lambda: CachedCode(to_ambient_derivatives(tangent.program, sizes, f.arguments, by, places), f.ordering),
        ).body

    program = normalising(f.program, f.arguments, places) if places else batch_code(f.body)
    return AmbientFunction(f.name, to_ambient_arguments(f.arguments), f.results, program, f.dtype, slopes)


@runtime_checkable
class Exportable(Protocol):
    """Code that can be exported to other programs: functions, and searches around them."""

    @property
    def dtype(self) -> str:
        """Type of its numbers."""
        ...

    def astype(self, dtype: Any) -> Self:
        """Return the same, computed with numbers of another type."""
        ...

    def listing(self, name: str = "") -> ExportedFunction:
        """Return it as back ends write it, under a name of its own."""
        ...

    def report(self) -> str:
        """Print the operations of its code."""
        ...


def library_code(library: Library, language: str) -> Mapping[str, str]:
    """Return the texts of a library's files by path.

    Raises:
        InputError: there is no such language, it has no code for this type of numbers, or it is not installed.
    """
    if language not in BACKENDS:
        raise make_unknown_name_error("language", language, tuple(BACKENDS))
    if library.dtype not in BACKENDS[language].dtypes:
        others = " or ".join(name for name, backend in BACKENDS.items() if library.dtype in backend.dtypes)
        raise InputError(f"{language} has no code for {library.dtype}", fix=f"use {others}")
    return BACKENDS[language].files(library)
