"""Routines in WebAssembly: a function that calls those of its straight-line code, in loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from screwgraph.compiler.backends.wasm.encoding import CALL, END, emit_body, emit_load, emit_store, encode_leb128
from screwgraph.compiler.backends.wasm.operations import EQ, NE, ZERO, emit_constant
from screwgraph.tape import Block, Lookup, Loop, Part, Routine

if TYPE_CHECKING:
    from screwgraph.compiler.backends.wasm.module import FunctionBodies

LOOP, IF, BRANCH_IF, EMPTY = b"\x03", b"\x04", b"\x0d", b"\x40"


def emit_routine(given: Routine, first: int, module: FunctionBodies) -> bytes:
    """Return a function whose memory stands from the place `first` on, behind its inputs and outputs.

    Programs of parts work behind that, on copies of what they read.
    """
    base, called = first + given.size, dict[int, list[int]]()
    for part in given.blocks:
        if id(part.program) not in called:
            called[id(part.program)] = module.pieces(part.program, base)
    code = bytearray()
    for i, place in enumerate(given.inputs):
        code += emit_store(first + place, emit_load(i))
    code += _Parts(first, base, called).code(given.parts)
    for i, place in enumerate(given.outputs, len(given.inputs)):
        code += emit_store(i, emit_load(first + place))
    return emit_body(0, bytes(code))


@dataclass(frozen=True)
class _Parts:
    """Memory layout of the routine and its programs, and the functions of these."""

    first: int
    base: int
    called: Mapping[int, Sequence[int]]

    def code(self, parts: Sequence[Part]) -> bytes:
        """Return the instructions of parts, one after the other."""
        found = bytearray()
        for part in parts:
            match part:
                case Block():
                    for i, place in enumerate(part.reads, self.base):
                        found += emit_store(i, emit_load(self.first + place))
                    found += b"".join(CALL + encode_leb128(i) for i in self.called[id(part.program)])
                    for i, place in enumerate(part.writes, self.base + len(part.reads)):
                        found += emit_store(self.first + place, emit_load(i))
                case Lookup():
                    found += self._lookup(part)
                case Loop():
                    found += LOOP + EMPTY + self.code(part.parts) + self._truth(part.again) + BRANCH_IF + b"\0" + END
                case _:
                    found += self._truth(part.test) + IF + EMPTY + self.code(part.parts) + END
        return bytes(found)

    def _truth(self, place: int) -> bytes:
        return emit_load(self.first + place) + ZERO + NE

    def _lookup(self, part: Lookup) -> bytes:
        """Return a choice among rows: numbers are written where the row is theirs."""
        found = bytearray()
        for k, row in enumerate(part.table.tolist()):
            numbers = b"".join(emit_store(self.first + part.writes + i, emit_constant(x)) for i, x in enumerate(row))
            found += emit_load(self.first + part.row) + emit_constant(float(k)) + EQ + IF + EMPTY + numbers + END
        return bytes(found)
