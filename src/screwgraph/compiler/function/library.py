"""Functions that are exported together: their texts in a language, and one function of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self, runtime_checkable

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends import BACKENDS, ExportedFunction, Library
from screwgraph.model.robot import make_unknown_name_error


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
