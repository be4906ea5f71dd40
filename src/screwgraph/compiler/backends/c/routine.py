"""Code with loops in C: functions of its straight-line code and of its loops, and what calls them, in one array."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from screwgraph.compiler.backends.base import ExportedFunction
from screwgraph.compiler.backends.c.function import emit_definition
from screwgraph.compiler.backends.c.interface import Interface, make_interface
from screwgraph.compiler.backends.c.operations import format_number
from screwgraph.compiler.backends.routine_text import Lines, RoutinePrinter, indent
from screwgraph.tape import Block, Routine


class CPrinter(RoutinePrinter):
    """Prints parts in C; loops are functions, whose arrays compilers know to be apart."""

    up = "for (int {i} = {first}; {i} < {end}; ++{i}) {{"
    down = "for (int {i} = {end} - 1; {i} >= {first}; --{i}) {{"
    when = "if ({} != 0) {{"
    again = ("do {", "}} while ({} != 0);")
    constant = "const {scalar} {name} = {value};"
    table = "static const {kind} {name}[{rows}][{columns}] = {values};"
    brackets = ("{", "}")
    integer = "int"
    to_integer = "(int){}"

    def __init__(self, one: Interface) -> None:
        super().__init__(one.listing, one.scalar)
        self._one = one

    def format_number(self, value: float) -> str:
        """Write a number."""
        return format_number(value, self.listing.dtype)

    def define(self, f: ExportedFunction) -> str:
        """Define a function that its own file sees only."""
        own = make_interface(self._one.library, f)
        opening = own.prototype.rstrip(";")
        self.before += [f"static {line}" if line == opening else line for line in emit_definition(own)]
        return own.function

    def call(self, block: Block, function: str) -> Lines:
        """Call a function where its numbers stand side by side, else on copies."""
        given, found, before, after = "memory_given", "memory_found", Lines(), Lines()
        if block.reads_in_place and self.moves.is_together(block.reads):
            given = f"memory + {self.place(block.reads[0]) if block.reads else 0}"
        else:
            listed = ", ".join(map(self.at, block.reads))
            before.append(f"const {self.scalar} {given}[{len(block.reads)}] = {{{listed}}};")
        if block.writes_in_place and self.moves.is_together(block.writes):
            found = f"memory + {self.place(block.writes[0])}"
        else:
            before.append(f"{self.scalar} {found}[{len(block.writes)}];")
            after = [f"{self.at(place)} = {found}[{i}];" for i, place in enumerate(block.writes)]
        lines = [*before, f"{function}({given}, {found});", *after]
        return lines if len(lines) == 1 else ["{", *indent(lines), "}"]

    def loop(self, arrays: Mapping[str, int], lines: Lines) -> Lines:
        """Define a function of the arrays, and call it."""
        name = f"{self._one.function}_loop{len(self.before)}"
        takes = ", ".join(f"{self.scalar} *restrict {array}" for array in arrays)
        self.before += [f"static void {name}({takes})", "{", *indent(lines), "}", ""]
        return [f"{name}({', '.join(f'memory + {self.place(place)}' for place in arrays.values())});"]


def emit_routine(one: Interface, routine: Routine) -> Lines:
    """Return the lines that define a function, and before it those of its programs and tables."""
    printer, places = CPrinter(one), iter(routine.outputs)
    body = [f"{one.scalar} memory[{routine.size}];"]
    body += [f"memory[{i}] = {source};" for i, source in zip(routine.inputs, one.inputs, strict=True)]
    body += printer.do(routine.parts)
    for name, result in one.gives:
        own = list(islice(places, result.size))
        if own and own == [*range(own[0], own[0] + len(own))]:
            body.append(f"for (int i = 0; i < {len(own)}; ++i) {name}[i] = memory[{own[0]} + i];")
        else:
            body += [f"{name}[{i}] = memory[{place}];" for i, place in enumerate(own)]
    return [*printer.before, one.prototype.rstrip(";"), "{", *indent(body), "}", ""]
