"""What a back end is: the forms of all operations, and the files that it writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from screwgraph.compiler.signature import Argument, Result
from screwgraph.summary import one_line
from screwgraph.tape import Program


@dataclass(frozen=True)
class Listing:
    """A function to write: its name, its code, what it takes and gives, and the type of its numbers."""

    __repr__ = one_line

    name: str
    program: Program
    arguments: Sequence[Argument]
    results: Sequence[Result]
    dtype: str = "float64"


@dataclass(frozen=True)
class Backend:
    """A language: `files` returns texts by their suffixes, for numbers of the types `dtypes`.

    `operations` are those that it has a form for; tests hold them against the table of the tape.
    """

    about: str
    operations: AbstractSet[str]
    files: Callable[[Listing], Mapping[str, str]]
    dtypes: tuple[str, ...] = ("float64", "float32")
