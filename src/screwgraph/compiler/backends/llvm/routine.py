"""Routines as machine code: straight-line code in loops, one sample at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.sample_block import emit_block
from screwgraph.compiler.cache import pack_program
from screwgraph.compiler.passes.outlining import WHOLE
from screwgraph.tape import Block, Lookup, Loop, Part, Routine


def routine_key(given: Routine) -> Any:
    """Return all that the machine code of a routine depends on."""
    return "routine", given.input_names, given.inputs, given.outputs, given.size, parts_key(given.parts)


def parts_key(parts: Sequence[Part]) -> list[Any]:
    """Return all that the machine code of parts depends on."""
    found: list[Any] = []
    for part in parts:
        match part:
            case Block():
                found.append(("block", pack_program(part.program), part.reads, part.writes))
            case Lookup():
                found.append(("lookup", part.table, part.row, part.writes))
            case Loop():
                found.append(("loop", parts_key(part.parts), part.again))
            case _:
                found.append(("when", part.test, parts_key(part.parts)))
    return found


def emit_routine(given: Routine, lanes: Lanes, whole: int = WHOLE) -> str:
    """Return `@block(in, out)` for one sample."""
    assert lanes.width == 1, "samples go round loops differently often"
    writer = PartsWriter(lanes, whole)
    for place, source in enumerate(given.inputs):
        writer.copy_number("%in", place, "%memory", source)
    writer.write(given.parts)
    for place, source in enumerate(given.outputs):
        writer.copy_number("%memory", source, "%out", place)
    return "\n".join(
        [
            *writer.functions,
            f"define internal void @block{lanes.tag}(ptr noalias %in, ptr noalias %out) {{",
            "entry:",
            f"  %memory = alloca [{given.size} x {lanes.scalar}], align 64",
            *writer.head,
            *writer.lines,
            "  ret void",
            "}",
        ]
    )


@dataclass
class PartsWriter:
    """Writes parts that work in `%memory`: `functions` of programs, `head` of the function that calls them, `lines`."""

    lanes: Lanes
    whole: int = WHOLE
    functions: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    _names: dict[int, str] = field(default_factory=dict)
    _count: int = 0

    def write(self, parts: Sequence[Part]) -> None:
        """Write parts one after the other."""
        for part in parts:
            match part:
                case Block():
                    self._block(part)
                case Lookup():
                    self._lookup(part)
                case Loop():
                    label = self._new("l")
                    self.lines += [f"  br label %{label}", f"{label}:"]
                    self.write(part.parts)
                    again = self.truth(part.again)
                    self.lines += [f"  br i1 {again}, label %{label}, label %{label}_end", f"{label}_end:"]
                case _:
                    label, test = self._new("w"), self.truth(part.test)
                    self.lines += [f"  br i1 {test}, label %{label}, label %{label}_end", f"{label}:"]
                    self.write(part.parts)
                    self.lines += [f"  br label %{label}_end", f"{label}_end:"]

    def copy_number(self, source: str, at: int, target: str, to: int) -> None:
        """Copy one number."""
        R, size = self.lanes.scalar, self.lanes.bytes
        x, there = f"%{self._new('x')}", self._away(target, to)
        self.lines.append(f"  {x} = load {R}, ptr {self._away(source, at)}, align {size}")
        self.lines.append(f"  store {R} {x}, ptr {there}, align {size}")

    def truth(self, place: int) -> str:
        """Return whether the number at a place is not zero."""
        R, x, test = self.lanes.scalar, f"%{self._new('x')}", f"%{self._new('t')}"
        self.lines.append(f"  {x} = load {R}, ptr {self._away('%memory', place)}, align {self.lanes.bytes}")
        self.lines.append(f"  {test} = fcmp une {R} {x}, {self.lanes.number(0.0)}")
        return test

    def _block(self, part: Block) -> None:
        """Call a program where its numbers stand side by side, else on copies."""
        name = self._names.get(id(part.program))
        if name is None:
            name = self._names[id(part.program)] = f"program{len(self._names)}_"
            self.functions.append(emit_block(part.program, self.lanes, name, whole=self.whole))
        given = self._place(part.reads, in_place=part.reads_in_place)
        found = self._place(part.writes, in_place=part.writes_in_place)
        used = {i[1] for i in part.program.instructions if i[0] == "input"}
        if not part.reads_in_place:
            for i, place in enumerate(part.reads):
                if i in used:
                    self.copy_number("%memory", place, given, i)
        self.lines.append(f"  call void @{name}{self.lanes.tag}(ptr {given}, ptr {found})")
        if not part.writes_in_place:
            for i, place in enumerate(part.writes):
                self.copy_number(found, i, "%memory", place)

    def _place(self, places: Sequence[int], *, in_place: bool) -> str:
        """Return a pointer to where numbers stand, or to memory for copies."""
        if in_place:
            return self._away("%memory", places[0] if places else 0)
        copies = f"%{self._new('copies')}"
        self.head.append(f"  {copies} = alloca [{len(places) or 1} x {self.lanes.scalar}], align 64")
        return copies

    def _lookup(self, part: Lookup) -> None:
        R, n, size = self.lanes.scalar, part.table.shape[1], self.lanes.bytes
        table, x, row, away, at = (f"{mark}{self._new('r')}" for mark in "@%%%%")
        values = ", ".join(f"{R} {self.lanes.number(v)}" for v in part.table.ravel().tolist())
        self.functions.append(f"{table} = private constant [{part.table.size} x {R}] [{values}], align 64")
        self.lines.append(f"  {x} = load {R}, ptr {self._away('%memory', part.row)}, align {size}")
        self.lines += [f"  {row} = fptosi {R} {x} to i64", f"  {away} = mul i64 {row}, {n}"]
        self.lines.append(f"  {at} = getelementptr {R}, ptr {table}, i64 {away}")
        for i in range(n):
            self.copy_number(at, i, "%memory", part.writes + i)

    def _away(self, pointer: str, place: int) -> str:
        name = f"%{self._new('p')}"
        self.lines.append(f"  {name} = getelementptr {self.lanes.scalar}, ptr {pointer}, i64 {place}")
        return name

    def _new(self, mark: str) -> str:
        self._count += 1
        return f"{mark}{self._count}"
