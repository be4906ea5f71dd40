"""The definition of a function in Rust: straight-line code, long programs in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.compiler.angles import large_terms
from screwgraph.compiler.backends.base import Library, Listing, named
from screwgraph.compiler.backends.c.interface import parameter_fields
from screwgraph.compiler.backends.escapes import in_doc_comment
from screwgraph.compiler.backends.rust.operations import (
    RUST,
    SCALARS,
    array_type,
    filled,
    places,
    rust_names,
    rust_number,
)
from screwgraph.compiler.pieces import LEAVES, Pieces, pieces
from screwgraph.compiler.signature import PARAMETERS, Argument, Result

WHOLE = 1_000
"""Instructions that stay in one piece: every `let` is a scope within the one before, and with debugging information
rustc follows them by recursion, which overflows its stack at some thousands."""


@dataclass(frozen=True)
class Signature:
    """A function of a library as Rust sees it, and its identifiers: of itself, of what it takes, of what it gives."""

    library: Library
    listing: Listing
    function: str
    takes: Sequence[tuple[str, Argument]]
    gives: Sequence[tuple[str, Result]]

    @property
    def structure(self) -> str:
        """The type of several results."""
        return "".join(word[:1].upper() + word[1:] for word in self.function.split("_")) + "Results"

    @property
    def parameters(self) -> list[str]:
        """The arguments, declared."""
        return [
            f"{name}: &{'Parameters' if a.name == PARAMETERS else array_type(a.shape, self.listing.dtype)}"
            for name, a in self.takes
        ]

    @property
    def returned(self) -> str:
        """The type of the result."""
        if len(self.gives) > 1:
            return self.structure
        return array_type(self.gives[0][1].shape, self.listing.dtype)

    @property
    def opening(self) -> str:
        """The line that begins its definition."""
        return f"fn {self.function}({', '.join(self.parameters)}) -> {self.returned} {{"

    @property
    def targets(self) -> list[str]:
        """The places of all results, row by row."""
        return [t for name, r in self.gives for t in places(name, r.shape)]

    @property
    def inputs(self) -> list[str]:
        """The places of all numbers that it takes, in order."""
        fields = parameter_fields(self.library)
        found = []
        for name, a in self.takes:
            if a.name == PARAMETERS:
                found += [f"{name}.{fields[n]}" for n in a.names]
            else:
                found += places(name if a.shape else f"*{name}", a.shape)
        return found


def signature(library: Library, f: Listing) -> Signature:
    """Return a function as Rust sees it."""
    return Signature(library, f, *named(f, f.name, rust_names))


def definition(one: Signature) -> list[str]:
    """Return the lines that define a function, and the structure of several results."""
    f, dtype = one.listing, one.listing.dtype
    cut = pieces(f.program, whole=WHOLE)
    body, before = list[str](), list[str]()
    if cut.whole:
        body += _lines(one, cut, cut.straight[0], "")
    else:
        before = _pieces(one, cut)
        given = ", ".join([*(name for name, _ in one.takes), *(f"&mut {name}" for name, _ in one.gives), "&mut memory"])
        body += [f"    let mut memory = [0.0_{SCALARS[dtype]}; {len(cut.slots) or 1}];"]
        body += [f"    {one.function}_piece{n}({given});" for n in range(len(cut.straight))]
    constants = zip(one.targets, f.program.outputs, strict=True)
    body += [f"    {t} = {rust_number(o, dtype)};" for t, o in constants if not isinstance(o, int)]
    return [*before, *enclosed(one, body)]


def enclosed(one: Signature, body: Sequence[str]) -> list[str]:
    """Return the function around lines that compute its results, and the structure of several results."""
    dtype, lines = one.listing.dtype, list[str]()
    if len(one.gives) > 1:
        fields = [f"    pub {name}: {array_type(r.shape, dtype)}," for name, r in one.gives]
        lines += ["/// Results of `" + one.function + "`.", "#[derive(Clone, Copy, Debug, PartialEq)]"]
        lines += [f"pub struct {one.structure} {{", *fields, "}", ""]
    before = [f"    let mut {name} = {filled(r.shape, dtype)};" for name, r in one.gives]
    names = ", ".join(name for name, _ in one.gives)
    value = f"{one.structure} {{ {names} }}" if len(one.gives) > 1 else names
    return [*lines, *_comment(one), f"pub {one.opening}", *before, *body, f"    {value}", "}", ""]


def _pieces(one: Signature, cut: Pieces) -> list[str]:
    """Return functions that do the work one after the other; they share what one leaves to another in `memory`."""
    dtype = one.listing.dtype
    gives = [f"{name}: &mut {array_type(r.shape, dtype)}" for name, r in one.gives]
    memory = f"memory: &mut [{SCALARS[dtype]}; {len(cut.slots) or 1}]"
    declared = ", ".join([*one.parameters, *gives, memory])
    lines = []
    for n, part in enumerate(cut.straight):
        lines += [
            "#[inline(never)]",
            f"fn {one.function}_piece{n}({declared}) {{",
            *_lines(one, cut, part, "*"),
            "}",
            "",
        ]
    return lines


def _lines(one: Signature, cut: Pieces, part: Sequence[int], dereferenced: str) -> list[str]:
    """Return the assignments of the instructions at these places, and of the results that they are."""
    program, dtype, inputs = one.listing.program, one.listing.dtype, one.inputs
    own, large, scalar = set(part), large_terms(program), SCALARS[dtype]
    targets = [f"{dereferenced}{t}" if not r.shape else t for name, r in one.gives for t in places(name, r.shape)]
    results: dict[int, list[str]] = {}
    for target, output in zip(targets, program.outputs, strict=True):
        if isinstance(output, int):
            results.setdefault(output, []).append(target)

    def written(i: int) -> str:
        operation, *operands = program.instructions[i]
        if operation == "constant":
            return rust_number(operands[0], dtype)
        if operation == "input":
            return inputs[operands[0]]
        return f"v{i}" if i in own else f"memory[{cut.slots[i]}]"

    def term(i: int, of: int) -> str:
        return f"wrapped({written(i)})" if i in large.get(of, ()) else written(i)

    lines = []
    for i in part:
        operation, *operands = program.instructions[i]
        if operation not in LEAVES:
            expression = RUST[operation].format(*(term(o, i) for o in operands), scalar=scalar)
            lines.append(f"    let v{i}: {scalar} = {expression};")
            if i in cut.slots:
                lines.append(f"    memory[{cut.slots[i]}] = v{i};")
    return lines + [f"    {target} = {written(i)};" for i in part for target in results.get(i, ())]


def _comment(one: Signature) -> list[str]:
    lines = [f"/// {one.listing.counted}."]
    for name, array in [*one.takes, *one.gives]:
        listed = ", ".join(array.names) or "row by row"
        if isinstance(array, Argument) and array.name == PARAMETERS:
            listed = "live parameters"
        lines += ["///", f"/// `{name}`: {in_doc_comment(listed)}"]
    return lines
