"""The definition of a routine in Rust: functions of its straight-line code, and loops around their calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from screwgraph.compiler.backends.base import ExportedFunction
from screwgraph.compiler.backends.c.routine import export_block
from screwgraph.compiler.backends.rust.function import Signature, emit_definition, emit_function, make_signature
from screwgraph.compiler.backends.rust.operations import SCALARS, format_rust_number
from screwgraph.tape import Block, Lookup, Loop, Part, Routine


def emit_routine(one: Signature, given: Routine) -> list[str]:
    """Return the lines that define a function, and before it those of its programs and tables."""
    scalar, before, names = SCALARS[one.listing.dtype], list[str](), dict[int, str]()
    for part in given.every:
        if isinstance(part, Block) and id(part.program) not in names:
            own = make_signature(one.library, export_block(one.listing, part, len(names)))
            names[id(part.program)] = own.function
            before += [line.removeprefix("pub ") for line in emit_definition(own)]
        elif isinstance(part, Lookup):
            names[id(part)] = f"{one.function}_table{len(names)}".upper()
            before += _table(names[id(part)], part, one.listing)
    body = [f"let mut memory = [0.0_{scalar}; {given.size}];"]
    body += [f"memory[{i}] = {source};" for i, source in zip(given.inputs, one.inputs, strict=True)]
    body += _parts(given.parts, names)
    body += [f"{target} = memory[{i}];" for target, i in zip(one.targets, given.outputs, strict=True)]
    return [*before, *emit_function(one, [f"    {line}" for line in body])]


def _table(name: str, part: Lookup, f: ExportedFunction) -> list[str]:
    rows, n = part.table.shape
    listed = ["    [" + ", ".join(format_rust_number(x, f.dtype) for x in row) + "]," for row in part.table]
    return [f"static {name}: [[{SCALARS[f.dtype]}; {n}]; {rows}] = [", *listed, "];", ""]


def _parts(parts: Sequence[Part], names: Mapping[int, str]) -> list[str]:
    lines = list[str]()
    for part in parts:
        match part:
            case Block():
                given = ", ".join(f"memory[{place}]" for place in part.reads)
                lines += ["{", f"    let found = {names[id(part.program)]}(&[{given}]);"]
                lines += [*(f"    memory[{place}] = found[{i}];" for i, place in enumerate(part.writes)), "}"]
            case Lookup():
                lines.append(f"let row = &{names[id(part)]}[memory[{part.row}] as usize];")
                lines += [f"memory[{part.writes + i}] = row[{i}];" for i in range(part.table.shape[1])]
            case Loop():
                inside = (f"    {line}" for line in _parts(part.parts, names))
                lines += ["loop {", *inside, f"    if memory[{part.again}] == 0.0 {{", "        break;", "    }", "}"]
            case _:
                inside = (f"    {line}" for line in _parts(part.parts, names))
                lines += [f"if memory[{part.test}] != 0.0 {{", *inside, "}"]
    return lines
