"""What a back end is: the forms of all operations, and the files that it writes of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler.signature import PARAMETERS, Argument, Result
from screwgraph.tape import Code, Program, format_operations


@dataclass(frozen=True)
class ExportedFunction:
    """A function to write: its name, its code, what it takes and gives, and the type of its numbers.

    `examples` returns values (k, numbers) of each argument at which the code may be tried, by default random ones;
    `compute` what machine code makes of such values, for code that is too long to be interpreted.
    """

    __repr__ = one_line

    name: str
    code: Code
    arguments: Sequence[Argument]
    results: Sequence[Result]
    dtype: str = "float64"
    examples: Callable[[], Sequence[np.ndarray]] | None = None
    compute: Callable[[Sequence[np.ndarray]], Sequence[np.ndarray]] | None = None

    @property
    def program(self) -> Program:
        """The code of a language without loops.

        Raises:
            InputError: the code has loops.
        """
        if self.code.is_conditional:
            raise InputError(
                f"{self.name} cannot be written in this language",
                why="its code has loops that end when numbers say so",
                fix="use c, cpp, rust, ros2, llvm, ptx or wasm",
            )
        return self.code.unrolled

    @property
    def counted(self) -> str:
        """How many operations it takes: of code with loops, a passage."""
        return format_operations(self.code)


Named = tuple[str, Sequence[tuple[str, Argument]], Sequence[tuple[str, Result]]]
"""The identifier of a function, its arguments and its results with theirs."""


def assign_identifiers(f: ExportedFunction, own: str, identifiers: Callable[[Sequence[str]], list[str]]) -> Named:
    """Return how a language names a function that is called `own`, its arguments and its results."""
    function, *others = identifiers([own, *(a.name for a in f.arguments), *(r.name for r in f.results)])
    count = len(f.arguments)
    takes = list(zip(others[:count], f.arguments, strict=True))
    return function, takes, list(zip(others[count:], f.results, strict=True))


@dataclass(frozen=True)
class Library:
    """Functions that are written together: one type of numbers, and one `prefix` of their names, which may be empty."""

    __repr__ = one_line

    prefix: str
    functions: Sequence[ExportedFunction]
    about: str = ""

    @property
    def name(self) -> str:
        """Base name of files: the prefix, or the only function's name."""
        return self.prefix or self.functions[0].name

    @property
    def dtype(self) -> str:
        """Type of all numbers."""
        return self.functions[0].dtype

    def add_prefix(self, name: str) -> str:
        """Return a name behind the prefix."""
        return f"{self.prefix}_{name}" if self.prefix else name

    @property
    def nominal(self) -> Mapping[str, float]:
        """The live parameters of all functions, each once, with their values in the model's file."""
        found: dict[str, float] = {}
        for argument in (a for f in self.functions for a in f.arguments if a.name == PARAMETERS):
            found |= zip(argument.names, argument.nominal or [0.0] * len(argument.names), strict=True)
        return found


@dataclass(frozen=True)
class Backend:
    """A language: `files` returns the texts of a library by their paths, for numbers of the types `dtypes`.

    `operations` are those that it has a form for; tests hold them against the table of the tape. `has_loops`: whether
    it can write code with loops that end when numbers say so.
    """

    about: str
    operations: AbstractSet[str]
    files: Callable[[Library], Mapping[str, str]]
    dtypes: tuple[str, ...] = ("float64", "float32")
    has_loops: bool = True


def write_one_file_each(
    suffix: str, write: Callable[[ExportedFunction], str]
) -> Callable[[Library], Mapping[str, str]]:
    """Return the `files` of a back end that writes each function, under its name with the prefix, to a file."""

    def files(library: Library) -> dict[str, str]:
        named = (replace(f, name=library.add_prefix(f.name)) for f in library.functions)
        return {f"{f.name}{suffix}": write(f) for f in named}

    return files
