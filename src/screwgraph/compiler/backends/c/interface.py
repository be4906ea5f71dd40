"""A function as C sees it: names, pointers, and the declaration."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.compiler.backends.base import ExportedFunction, Library, assign_identifiers
from screwgraph.compiler.backends.c.operations import SCALARS, make_identifiers
from screwgraph.compiler.backends.escapes import in_comment
from screwgraph.compiler.signature import PARAMETERS, Argument, Result, list_names


@dataclass(frozen=True)
class Interface:
    """A function of a library, and its identifiers: of itself, of what it takes, of what it gives."""

    library: Library
    listing: ExportedFunction
    function: str
    takes: Sequence[tuple[str, Argument]]
    gives: Sequence[tuple[str, Result]]

    @property
    def scalar(self) -> str:
        """Type of a number."""
        return SCALARS[self.listing.dtype][0]

    @property
    def suffix(self) -> str:
        """Suffix of constants and functions of that type."""
        return SCALARS[self.listing.dtype][1]

    @property
    def inputs(self) -> list[str]:
        """The places of all numbers that it takes, in order."""
        fields = name_parameter_fields(self.library)
        return [
            f"{name}->{fields[own]}" if a.name == PARAMETERS else f"{name}[{i}]"
            for name, a in self.takes
            for i, own in enumerate(a.names)
        ]

    @property
    def targets(self) -> list[str]:
        """The places of all results, row by row."""
        return [f"{name}[{i}]" for name, r in self.gives for i in range(r.size)]

    @property
    def parameters(self) -> str:
        """Parameters of the C function: inputs, then outputs."""
        inputs = [f"const {self.declare(name, a)}" for name, a in self.takes]
        return ", ".join([*inputs, *(self.declare(name, r) for name, r in self.gives)])

    def declare(self, name: str, array: Argument | Result, pointer: str = "*") -> str:
        """Declare an argument or result: an array, or the structure of live parameters."""
        if array.name == PARAMETERS and isinstance(array, Argument):
            return f"{name_parameter_type(self.library)} {pointer}{name}"
        size = array.size if isinstance(array, Result) else len(array.names)
        return f"{self.scalar} {name}[{size or 1}]"

    @property
    def prototype(self) -> str:
        """Its declaration."""
        return f"void {self.function}({self.parameters});"

    @property
    def description(self) -> str:
        """Description of the numbers in all arrays, as lines of a comment."""
        return "".join(_describe_array(name, array) for name, array in [*self.takes, *self.gives])


def make_interface(library: Library, f: ExportedFunction) -> Interface:
    """Return a function as C sees it."""
    return Interface(library, f, *assign_identifiers(f, library.add_prefix(f.name), make_identifiers))


def make_interfaces(library: Library) -> list[Interface]:
    """Return the functions of a library."""
    return [make_interface(library, f) for f in library.functions]


def name_parameter_type(library: Library) -> str:
    """Return the type of the structure of live parameters."""
    return make_identifiers([f"{library.name}_parameters"])[0]


def name_parameter_fields(library: Library) -> dict[str, str]:
    """Return the fields of that structure by the names of parameters: `link7_mass`, `payload_0` to `payload_9`."""
    names = list(library.nominal)
    plain = [name.removeprefix("parameter:").removesuffix("]").replace("[", "_") for name in names]
    short = [name.removesuffix("_0") for name in plain]
    alone = [f"{name}_1" not in plain for name in short]
    chosen = [s if only else p for s, p, only in zip(short, plain, alone, strict=True)]
    return dict(zip(names, make_identifiers(chosen), strict=True))


def _describe_array(identifier: str, array: Argument | Result) -> str:
    listed = list_names(array)
    if isinstance(array, Argument) and array.name == PARAMETERS:
        listed = "a structure, see above"
    text = in_comment(f"{identifier} ({' x '.join(map(str, array.shape)) or 1}): {listed}")
    lines = textwrap.wrap(text, 110, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return "".join(f"\n * {line}" for line in lines)
