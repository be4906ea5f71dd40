"""Code with loops in Rust: functions of its straight-line code, and loops around their calls, in one array."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from screwgraph.compiler.backends.base import ExportedFunction
from screwgraph.compiler.backends.routine_text import Lines, LoopSyntax, RoutinePrinter, indent
from screwgraph.compiler.backends.rust.function import Signature, emit_definition, emit_function, make_signature
from screwgraph.compiler.backends.rust.operations import SCALARS, format_rust_number
from screwgraph.tape import Block, Lookup, Loop, Part, Routine


class RustPrinter(RoutinePrinter):
    """Prints parts in Rust."""

    def __init__(self, one: Signature) -> None:
        scalar = SCALARS[one.listing.dtype]
        syntax = LoopSyntax(
            "for {i} in {first}..{end} {{",
            "for {i} in ({first}..{end}).rev() {{",
            "if memory[{place}] != 0.0 {{",
            f"let {{name}}: {scalar} = {{value}};",
            "static {name}: [[usize; {columns}]; {rows}] = {values};",
            ("[", "]"),
        )
        super().__init__(one.listing, scalar, syntax, PRINTERS)
        self._library = one.library

    def define(self, f: ExportedFunction) -> str:
        """Define a function that its own crate sees only."""
        own = make_signature(self._library, f)
        self.before += [line.removeprefix("pub ") for line in emit_definition(own)]
        return own.function

    def loop(self, arrays: Mapping[str, int], lines: Lines) -> Lines:
        """Return the lines in a scope of their own, with places of the memory for the arrays."""
        text = "\n".join(indent(lines))
        for name, place in arrays.items():
            text = re.sub(rf"\b{name}\[", f"memory[{place} + ", text)
        return ["{", *text.splitlines(), "}"]


def emit_routine(one: Signature, routine: Routine) -> Lines:
    """Return the lines that define a function, and before it those of its programs and tables."""
    printer = RustPrinter(one)
    body = [f"let mut memory = [0.0_{printer.scalar}; {routine.size}];"]
    body += [f"memory[{i}] = {source};" for i, source in zip(routine.inputs, one.inputs, strict=True)]
    body += printer.do(routine.parts)
    body += [f"{target} = memory[{i}];" for target, i in zip(one.targets, routine.outputs, strict=True)]
    return [*printer.before, *emit_function(one, indent(body))]


def print_block(part: Block, printer: RustPrinter) -> Lines:
    """Call a program on copies."""
    given = ", ".join(f"memory[{place}]" for place in part.reads)
    after = [f"memory[{place}] = found[{i}];" for i, place in enumerate(part.writes)]
    return ["{", *indent([f"let found = {printer.function_of(part)}(&[{given}]);", *after]), "}"]


def print_lookup(part: Lookup, printer: RustPrinter) -> Lines:
    """Copy the row of a table."""
    name, (count, n) = f"{printer.listing.name}_table{len(printer.before)}".upper(), part.table.shape
    rows = [f"[{', '.join(format_rust_number(x, printer.listing.dtype) for x in row)}]," for row in part.table]
    printer.before += [
        f"static {name}: [[{printer.scalar}; {n}]; {count}] = [",
        *indent(rows),
        "];",
        "",
    ]
    copied = [f"memory[{place}] = row[{i}];" for i, place in enumerate(part.list_writes())]
    return [f"let row = &{name}[memory[{part.row}] as usize];", *copied]


def print_loop(part: Loop, printer: RustPrinter) -> Lines:
    """Go round."""
    last = [f"if memory[{part.test}] == 0.0 {{", "    break;", "}"]
    return ["loop {", *indent([*printer.do(part.parts), *last]), "}"]


PRINTERS: Mapping[type[Part], Callable[[Any, RustPrinter], Lines]] = {
    Block: print_block,
    Lookup: print_lookup,
    Loop: print_loop,
}
"""What prints parts in a way of Rust's own."""
