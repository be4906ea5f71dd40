"""The definition of a routine in C: functions of its straight-line code, and loops around their calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from screwgraph.compiler.backends.base import ExportedFunction
from screwgraph.compiler.backends.c.function import emit_definition
from screwgraph.compiler.backends.c.interface import Interface, make_interface
from screwgraph.compiler.backends.c.operations import format_number
from screwgraph.compiler.signature import Result, make_numbered_argument
from screwgraph.tape import Block, Lookup, Loop, Part, Routine


def emit_routine(one: Interface, given: Routine) -> list[str]:
    """Return the lines that define a function, and before it those of its programs and tables."""
    before, names = list[str](), dict[int, str]()
    for part in given.every:
        if isinstance(part, Block) and id(part.program) not in names:
            own = make_interface(one.library, export_block(one.listing, part, len(names)))
            names[id(part.program)] = own.function
            before += _static(emit_definition(own), own.prototype)
        elif isinstance(part, Lookup):
            names[id(part)] = f"{one.function}_table{len(names)}"
            before += _table(f"{one.scalar} {names[id(part)]}", part, one.listing.dtype)
    body = [f"{one.scalar} memory[{given.size}];"]
    body += [f"memory[{i}] = {source};" for i, source in zip(given.inputs, one.inputs, strict=True)]
    body += _parts(one.scalar, given.parts, names)
    body += [f"{target} = memory[{i}];" for target, i in zip(one.targets, given.outputs, strict=True)]
    return [*before, one.prototype.rstrip(";"), "{", *(f"    {line}" for line in body), "}", ""]


def export_block(f: ExportedFunction, part: Block, count: int) -> ExportedFunction:
    """Return the straight-line code of a part as a function of one array to another."""
    takes, gives = make_numbered_argument("given", len(part.reads)), Result("found", (len(part.writes),))
    return ExportedFunction(f"{f.name}_{part.name}{count}", part.program, [takes], [gives], f.dtype)


def _static(lines: Sequence[str], prototype: str) -> list[str]:
    """Let a function be seen by its own file only."""
    opening = prototype.rstrip(";")
    return [f"static {line}" if line == opening else line for line in lines]


def _table(declared: str, part: Lookup, dtype: str) -> list[str]:
    rows = ["    {" + ", ".join(format_number(x, dtype) for x in row) + "}," for row in part.table]
    return [f"static const {declared}[{len(rows)}][{part.table.shape[1]}] = {{", *rows, "};", ""]


def _parts(scalar: str, parts: Sequence[Part], names: Mapping[int, str]) -> list[str]:
    lines = list[str]()
    for part in parts:
        match part:
            case Block():
                lines += _block(scalar, part, names[id(part.program)])
            case Lookup():
                row = f"{names[id(part)]}[(int)memory[{part.row}]]"
                lines += [f"memory[{part.writes + i}] = {row}[{i}];" for i in range(part.table.shape[1])]
            case Loop():
                inside = (f"    {line}" for line in _parts(scalar, part.parts, names))
                lines += ["do {", *inside, f"}} while (memory[{part.again}] != 0);"]
            case _:
                inside = (f"    {line}" for line in _parts(scalar, part.parts, names))
                lines += [f"if (memory[{part.test}] != 0) {{", *inside, "}"]
    return lines


def _block(scalar: str, part: Block, name: str) -> list[str]:
    """Call a program where its numbers stand side by side, else on copies."""
    given, found, before, after = "memory_given", "memory_found", list[str](), list[str]()
    if part.reads_in_place:
        given = f"memory + {part.reads[0] if part.reads else 0}"
    else:
        before.append(f"const {scalar} {given}[{len(part.reads)}] = {{{_format_places(part.reads)}}};")
    if part.writes_in_place:
        found = f"memory + {part.writes[0]}"
    else:
        before.append(f"{scalar} {found}[{len(part.writes)}];")
        after = [f"memory[{place}] = {found}[{i}];" for i, place in enumerate(part.writes)]
    lines = [*before, f"{name}({given}, {found});", *after]
    return lines if len(lines) == 1 else ["{", *(f"    {line}" for line in lines), "}"]


def _format_places(places: Sequence[int]) -> str:
    return ", ".join(f"memory[{place}]" for place in places)
