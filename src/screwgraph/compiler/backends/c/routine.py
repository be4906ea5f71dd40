"""Code with loops in C: functions of its straight-line code, and loops around their calls, in one array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from screwgraph.compiler.backends.base import ExportedFunction
from screwgraph.compiler.backends.c.function import emit_definition
from screwgraph.compiler.backends.c.interface import Interface, make_interface
from screwgraph.compiler.backends.c.operations import format_number
from screwgraph.compiler.backends.routine_text import Lines, LoopSyntax, RoutinePrinter, indent
from screwgraph.tape import Block, Lookup, Loop, Part, Routine


class CPrinter(RoutinePrinter):
    """Prints parts in C; loops are functions, whose arrays compilers know to be apart."""

    def __init__(self, one: Interface) -> None:
        syntax = LoopSyntax(
            "for (int {i} = {first}; {i} < {end}; ++{i}) {{",
            "for (int {i} = {end} - 1; {i} >= {first}; --{i}) {{",
            "if (memory[{place}] != 0) {{",
            f"const {one.scalar} {{name}} = {{value}};",
            "static const int {name}[{rows}][{columns}] = {values};",
            ("{", "}"),
        )
        super().__init__(one.listing, one.scalar, syntax, PRINTERS)
        self._one = one

    def define(self, f: ExportedFunction) -> str:
        """Define a function that its own file sees only."""
        own = make_interface(self._one.library, f)
        opening = own.prototype.rstrip(";")
        self.before += [f"static {line}" if line == opening else line for line in emit_definition(own)]
        return own.function

    def loop(self, arrays: Mapping[str, int], lines: Lines) -> Lines:
        """Define a function of the arrays, and call it."""
        name = f"{self._one.function}_loop{len(self.before)}"
        takes = ", ".join(f"{self.scalar} *restrict {array}" for array in arrays)
        self.before += [f"static void {name}({takes})", "{", *indent(lines), "}", ""]
        return [f"{name}({', '.join(f'memory + {place}' for place in arrays.values())});"]


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


def print_block(part: Block, printer: CPrinter) -> Lines:
    """Call a program where its numbers stand side by side, else on copies."""
    scalar, before, after = printer.scalar, Lines(), Lines()
    given, found = "memory_given", "memory_found"
    if part.reads_in_place:
        given = f"memory + {part.reads[0] if part.reads else 0}"
    else:
        listed = ", ".join(f"memory[{place}]" for place in part.reads)
        before.append(f"const {scalar} {given}[{len(part.reads)}] = {{{listed}}};")
    if part.writes_in_place:
        found = f"memory + {part.writes[0]}"
    else:
        before.append(f"{scalar} {found}[{len(part.writes)}];")
        after = [f"memory[{place}] = {found}[{i}];" for i, place in enumerate(part.writes)]
    lines = [*before, f"{printer.function_of(part)}({given}, {found});", *after]
    return lines if len(lines) == 1 else ["{", *indent(lines), "}"]


def print_lookup(part: Lookup, printer: CPrinter) -> Lines:
    """Copy the row of a table."""
    name, (count, n) = f"{printer.listing.name}_table{len(printer.before)}", part.table.shape
    rows = [f"{{{', '.join(format_number(x, printer.listing.dtype) for x in row)}}}," for row in part.table]
    printer.before += [
        f"static const {printer.scalar} {name}[{count}][{n}] = {{",
        *indent(rows),
        "};",
        "",
    ]
    row = f"{name}[(int)memory[{part.row}]]"
    return [f"memory[{place}] = {row}[{i}];" for i, place in enumerate(part.list_writes())]


def print_loop(part: Loop, printer: CPrinter) -> Lines:
    """Go round."""
    return ["do {", *indent(printer.do(part.parts)), f"}} while (memory[{part.test}] != 0);"]


PRINTERS: Mapping[type[Part], Callable[[Any, CPrinter], Lines]] = {
    Block: print_block,
    Lookup: print_lookup,
    Loop: print_loop,
}
"""What prints parts in a way of C's own."""
