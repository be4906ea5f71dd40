"""Straight-line code in a memory: the basic block of code with loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.tape.parts.part import Execution, Part
from screwgraph.tape.program import Operations, Program, program
from screwgraph.tape.scalar import Number
from screwgraph.tape.tape import Tape


@dataclass(frozen=True)
class Block(Part):
    """A program, and where in memory its inputs and its outputs stand; it writes when it has read all."""

    __repr__ = one_line

    name: str
    program: Program
    reads: Sequence[int]
    writes: Sequence[int]

    @property
    def reads_in_place(self) -> bool:
        """Whether inputs are contiguous in memory, in order."""
        return _is_run(self.reads)

    @property
    def writes_in_place(self) -> bool:
        """Whether outputs may be written to contiguous memory while inputs are read."""
        return _is_run(self.writes) and not set(self.reads) & set(self.writes)

    @property
    def operations(self) -> Operations:
        """Operations of the program."""
        return self.program.operations

    def list_reads(self) -> Sequence[int]:
        """Return the places of its inputs."""
        return self.reads

    def list_writes(self) -> Sequence[int]:
        """Return the places of its outputs."""
        return self.writes

    def run(self, on: Execution) -> None:
        """Evaluate the program."""
        found = on.compute(self.program, [on.memory[place] for place in self.reads])
        for place, value in zip(self.writes, found, strict=True):
            on.memory[place] = value

    def bind(self, known: Mapping[int, float]) -> Block:
        """Return the block with constants for the numbers at some places."""
        if not known.keys() & set(self.reads):
            return self
        tape, names, given = Tape(merge="form"), list[str](), list[Number]()
        for name, place in zip(self.program.input_names, self.reads, strict=True):
            if place in known:
                given.append(known[place])
            else:
                names.append(name)
                given.append(tape.input(name))
        code = program(tape, self.program.on(given), names)
        return replace(self, program=code, reads=tuple(p for p in self.reads if p not in known))


def unroll_part(part: Part) -> Block:
    """Return a part that is not conditional as straight-line code, for a language that has no other form of it."""
    tape, places = Tape(merge="form"), tuple(dict.fromkeys(part.list_reads()))
    names = [f"x{place}" for place in places]
    given = dict(zip(places, map(tape.input, names), strict=True))
    memory: dict[int, Any] = {**given}
    part.run(Execution(memory, Program.on))
    found = {place: value for place, value in memory.items() if value is not given.get(place)}
    return Block("part", program(tape, list(found.values()), names), places, tuple(found))


def _is_run(places: Sequence[int]) -> bool:
    """Whether places stand side by side."""
    return isinstance(places, range) or all(b == a + 1 for a, b in pairwise(places))
