"""Code with loops in Rust: functions of its straight-line code, and loops around their calls, in one array."""

from __future__ import annotations

import re
from collections.abc import Mapping

from screwgraph.compiler.backends.base import ExportedFunction
from screwgraph.compiler.backends.routine_text import Lines, RoutinePrinter, indent
from screwgraph.compiler.backends.rust.function import Signature, emit_definition, emit_function, make_signature
from screwgraph.compiler.backends.rust.operations import SCALARS, format_rust_number
from screwgraph.tape import Block, Routine


class RustPrinter(RoutinePrinter):
    """Prints parts in Rust."""

    up = "for {i} in {first}..{end} {{"
    down = "for {i} in ({first}..{end}).rev() {{"
    when = "if {} != 0.0 {{"
    again = ("loop {", "    if {} == 0.0 {{ break; }}\n}}")
    constant = "let {name}: {scalar} = {value};"
    table = "static {name}: [[{kind}; {columns}]; {rows}] = {values};"
    brackets = ("[", "]")
    integer = "usize"
    to_integer = "{} as usize"

    def __init__(self, one: Signature) -> None:
        super().__init__(one.listing, SCALARS[one.listing.dtype])
        self._library = one.library

    def format_number(self, value: float) -> str:
        """Write a number."""
        return format_rust_number(value, self.listing.dtype)

    def define(self, f: ExportedFunction) -> str:
        """Define a function that its own crate sees only."""
        own = make_signature(self._library, f)
        self.before += [line.removeprefix("pub ") for line in emit_definition(own)]
        return own.function

    def call(self, block: Block, function: str) -> Lines:
        """Call a function on copies."""
        given = ", ".join(map(self.at, block.reads))
        after = [f"{self.at(place)} = found[{i}];" for i, place in enumerate(block.writes)]
        return ["{", *indent([f"let found = {function}(&[{given}]);", *after]), "}"]

    def loop(self, arrays: Mapping[str, int], lines: Lines) -> Lines:
        """Return the lines in a scope of their own, with places of the memory for the arrays."""
        text = "\n".join(indent(lines))
        for name, place in arrays.items():
            text = re.sub(rf"\b{name}\[", f"memory[{self.place(place)} + ", text)
        return ["{", *text.splitlines(), "}"]


def emit_routine(one: Signature, routine: Routine) -> Lines:
    """Return the lines that define a function, and before it those of its programs and tables."""
    printer = RustPrinter(one)
    body = [f"let mut memory = [0.0_{printer.scalar}; {routine.size}];"]
    body += [f"memory[{i}] = {source};" for i, source in zip(routine.inputs, one.inputs, strict=True)]
    body += printer.do(routine.parts)
    body += [f"{target} = memory[{i}];" for target, i in zip(one.targets, routine.outputs, strict=True)]
    return [*printer.before, *emit_function(one, indent(body))]
