"""The definition of a function in Rust: straight-line code, long programs in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.compiler.backends.base import ExportedFunction, Library, assign_identifiers
from screwgraph.compiler.backends.c.interface import name_parameter_fields
from screwgraph.compiler.backends.escapes import in_doc_comment
from screwgraph.compiler.backends.rust.operations import (
    RUST,
    SCALARS,
    format_array_type,
    format_places,
    format_rust_number,
    format_zeros,
    make_rust_identifiers,
)
from screwgraph.compiler.passes.angle_reduction import find_large_terms
from screwgraph.compiler.passes.outlining import LEAVES, Outlines, outline_program
from screwgraph.compiler.signature import PARAMETERS, Argument, Result, list_names

WHOLE = 1_000
"""Instructions that stay in one piece: every `let` is a scope within the one before, and with debugging information
rustc follows them by recursion, which overflows its stack at some thousands."""


@dataclass(frozen=True)
class Signature:
    """A function of a library as Rust sees it, and its identifiers: of itself, of what it takes, of what it gives."""

    library: Library
    listing: ExportedFunction
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
            f"{name}: &{'Parameters' if a.name == PARAMETERS else format_array_type(a.shape, self.listing.dtype)}"
            for name, a in self.takes
        ]

    @property
    def return_type(self) -> str:
        """The type of the result."""
        if len(self.gives) > 1:
            return self.structure
        return format_array_type(self.gives[0][1].shape, self.listing.dtype)

    @property
    def opening(self) -> str:
        """The line that begins its definition."""
        return f"fn {self.function}({', '.join(self.parameters)}) -> {self.return_type} {{"

    @property
    def targets(self) -> list[str]:
        """The places of all results, row by row."""
        return [t for name, r in self.gives for t in format_places(name, r.shape)]

    @property
    def inputs(self) -> list[str]:
        """The places of all numbers that it takes, in order."""
        fields = name_parameter_fields(self.library)
        found = []
        for name, a in self.takes:
            if a.name == PARAMETERS:
                found += [f"{name}.{fields[n]}" for n in a.names]
            else:
                found += format_places(name if a.shape else f"*{name}", a.shape)
        return found


def make_signature(library: Library, f: ExportedFunction) -> Signature:
    """Return a function as Rust sees it."""
    return Signature(library, f, *assign_identifiers(f, f.name, make_rust_identifiers))


def emit_definition(one: Signature) -> list[str]:
    """Return the lines that define a function, and the structure of several results."""
    f, dtype = one.listing, one.listing.dtype
    cut = outline_program(f.program, whole=WHOLE)
    body, before = list[str](), list[str]()
    if cut.whole:
        body += _lines(one, cut, cut.straight[0], "")
    else:
        before = _pieces(one, cut)
        given = ", ".join([*(name for name, _ in one.takes), *(f"&mut {name}" for name, _ in one.gives), "&mut memory"])
        body += [f"    let mut memory = [0.0_{SCALARS[dtype]}; {cut.size or 1}];"]
        body += [f"    {one.function}_piece{n}({given});" for n in range(len(cut.straight))]
    constants = zip(one.targets, f.program.outputs, strict=True)
    body += [f"    {t} = {format_rust_number(o, dtype)};" for t, o in constants if not isinstance(o, int)]
    return [*before, *emit_function(one, body)]


def emit_function(one: Signature, body: Sequence[str]) -> list[str]:
    """Return the function around lines that compute its results, and the structure of several results."""
    dtype, lines = one.listing.dtype, list[str]()
    if len(one.gives) > 1:
        fields = [f"    pub {name}: {format_array_type(r.shape, dtype)}," for name, r in one.gives]
        lines += ["/// Results of `" + one.function + "`.", "#[derive(Clone, Copy, Debug, PartialEq)]"]
        lines += [f"pub struct {one.structure} {{", *fields, "}", ""]
    before = [f"    let mut {name} = {format_zeros(r.shape, dtype)};" for name, r in one.gives]
    names = ", ".join(name for name, _ in one.gives)
    value = f"{one.structure} {{ {names} }}" if len(one.gives) > 1 else names
    return [*lines, *_comment(one), f"pub {one.opening}", *before, *body, f"    {value}", "}", ""]


def _pieces(one: Signature, cut: Outlines) -> list[str]:
    """Return functions that do the work one after the other; they share what one leaves to another in `memory`."""
    dtype = one.listing.dtype
    gives = [f"{name}: &mut {format_array_type(r.shape, dtype)}" for name, r in one.gives]
    memory = f"memory: &mut [{SCALARS[dtype]}; {cut.size or 1}]"
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


def _lines(one: Signature, cut: Outlines, part: Sequence[int], dereferenced: str) -> list[str]:
    """Return the assignments of the instructions at these places, and of the results that they are."""
    program, dtype, inputs = one.listing.program, one.listing.dtype, one.inputs
    own, large, scalar = set(part), find_large_terms(program), SCALARS[dtype]
    targets = [
        f"{dereferenced}{t}" if not r.shape else t for name, r in one.gives for t in format_places(name, r.shape)
    ]
    results: dict[int, list[str]] = {}
    for target, output in zip(targets, program.outputs, strict=True):
        if isinstance(output, int):
            results.setdefault(output, []).append(target)

    def format_operand(i: int) -> str:
        operation, *operands = program.instructions[i]
        if operation == "constant":
            return format_rust_number(operands[0], dtype)
        if operation == "input":
            return inputs[operands[0]]
        return f"v{i}" if i in own else f"memory[{cut.slots[i]}]"

    def term(i: int, of: int) -> str:
        return f"wrapped({format_operand(i)})" if i in large.get(of, ()) else format_operand(i)

    lines = []
    for i in part:
        operation, *operands = program.instructions[i]
        if operation not in LEAVES:
            expression = RUST[operation].format(*(term(o, i) for o in operands), scalar=scalar)
            lines.append(f"    let v{i}: {scalar} = {expression};")
            if i in cut.slots:
                lines.append(f"    memory[{cut.slots[i]}] = v{i};")
    return lines + [f"    {target} = {format_operand(i)};" for i in part for target in results.get(i, ())]


def _comment(one: Signature) -> list[str]:
    lines = [f"/// {one.listing.counted}."]
    for name, array in [*one.takes, *one.gives]:
        listed = list_names(array)
        if isinstance(array, Argument) and array.name == PARAMETERS:
            listed = "live parameters"
        lines += ["///", f"/// `{name}`: {in_doc_comment(listed)}"]
    return lines
