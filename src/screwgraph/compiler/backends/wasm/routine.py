"""Code with loops in WebAssembly: a function that calls those of its straight-line code, in loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from screwgraph.compiler.backends.wasm.encoding import (
    CALL,
    END,
    GET,
    I32,
    I32_ADD,
    I32_LESS,
    SET,
    emit_body,
    emit_integer,
    emit_load,
    emit_store,
    encode_leb128,
)
from screwgraph.compiler.backends.wasm.operations import EQ, NE, ZERO, emit_constant
from screwgraph.tape import (
    Block,
    Lookup,
    Loop,
    Part,
    Pick,
    Put,
    Routine,
    SettledWhen,
    SettlingLoop,
    SideBySide,
    StageLoop,
    When,
)
from screwgraph.tape.parts import FIXED, unroll_part

if TYPE_CHECKING:
    from screwgraph.compiler.backends.wasm.module import FunctionBodies

LOOP, IF, BRANCH_IF, EMPTY = b"\x03", b"\x04", b"\x0d", b"\x40"


class RoutinePrinter:
    """Prints a routine whose memory stands from the place `first` on, behind its inputs and outputs.

    Programs of parts work behind that, on copies of what they read. Loops over stages count in `counters` locals.
    """

    def __init__(self, routine: Routine, module: FunctionBodies) -> None:
        self.first = len(routine.inputs) + len(routine.outputs)
        self.base, self._module, self._called = self.first + routine.size, module, dict[int, list[int]]()
        self.counters, self._moves = 0, FIXED

    def do(self, parts: Sequence[Part]) -> bytes:
        """Return the instructions of parts, one after the other; of those without a form of their own, a program's."""
        return b"".join(
            PRINTERS[type(part)](part, self) if type(part) in PRINTERS else print_block(unroll_part(part), self)
            for part in parts
        )

    def load(self, place: int) -> bytes:
        """Put a number of the routine's memory on the stack."""
        return emit_load(self.first + place, self._strides(place))

    def store(self, place: int, value: bytes) -> bytes:
        """Write what instructions put on the stack into the routine's memory."""
        return emit_store(self.first + place, value, self._strides(place))

    def _strides(self, place: int) -> list[tuple[int, int]]:
        return [(int(name), stride) for name, stride in self._moves.strides(place)]

    def stages(self, part: StageLoop) -> bytes:
        """Repeat the instructions of parts for all stages."""
        around, counter = self._moves, self.counters
        self.counters += 1
        self._moves = around.within(str(counter), part)
        own, parts = encode_leb128(counter), self.do(part.parts)
        self._moves = around
        following = GET + own + emit_integer(1) + I32_ADD + SET + own
        more = GET + own + emit_integer(part.count) + I32_LESS + BRANCH_IF + b"\0"
        return emit_integer(0) + SET + own + LOOP + EMPTY + parts + following + more + END

    def call(self, block: Block) -> bytes:
        """Call the functions of a program."""
        if id(block.program) not in self._called:
            self._called[id(block.program)] = self._module.pieces(block.program, self.base)
        return b"".join(CALL + encode_leb128(i) for i in self._called[id(block.program)])


def emit_routine(routine: Routine, module: FunctionBodies) -> bytes:
    """Return a function that copies its inputs to the routine's memory, works there, and copies its outputs back."""
    printer, count = RoutinePrinter(routine, module), len(routine.inputs)
    given = [printer.store(place, emit_load(i)) for i, place in enumerate(routine.inputs)]
    found = [emit_store(i, printer.load(place)) for i, place in enumerate(routine.outputs, count)]
    code = b"".join([*given, printer.do(routine.parts), *found])
    return emit_body(printer.counters, code, I32)


def print_block(part: Block, printer: RoutinePrinter) -> bytes:
    """Call a program on copies."""
    base, behind = printer.base, printer.base + len(part.reads)
    given = [emit_store(i, printer.load(place)) for i, place in enumerate(part.reads, base)]
    found = [printer.store(place, emit_load(i)) for i, place in enumerate(part.writes, behind)]
    return b"".join([*given, printer.call(part), *found])


def print_lookup(part: Lookup, printer: RoutinePrinter) -> bytes:
    """Choose among rows: numbers are written where the row is theirs."""
    rows = [[(part.target + i, emit_constant(x)) for i, x in enumerate(row)] for row in part.table.tolist()]
    return _choose_row(part.row, rows, printer)


def print_pick(part: Pick, printer: RoutinePrinter) -> bytes:
    """Choose among rows of a matrix in memory."""
    rows = [[(here, printer.load(there)) for here, there in pairs] for pairs in _pair_rows(part)]
    return _choose_row(part.row, rows, printer)


def print_put(part: Put, printer: RoutinePrinter) -> bytes:
    """Choose the row of a matrix in memory that is written."""
    rows = [[(there, printer.load(here)) for here, there in pairs] for pairs in _pair_rows(part)]
    return _choose_row(part.row, rows, printer)


def _pair_rows(part: Pick | Put) -> Iterator[list[tuple[int, int]]]:
    """Yield, for each row of the matrix, the places of the vector with those of its numbers."""
    for start in part.area[:: part.count]:
        yield list(zip(part.numbers, range(start, start + part.count), strict=True))


def _choose_row(place: int, rows: Iterable[Sequence[tuple[int, bytes]]], printer: RoutinePrinter) -> bytes:
    """Do the assignments of the row whose number stands at a place."""
    found = bytearray()
    for k, row in enumerate(rows):
        numbers = b"".join(printer.store(target, value) for target, value in row)
        found += printer.load(place) + emit_constant(float(k)) + EQ + IF + EMPTY + numbers + END
    return bytes(found)


def print_loop(part: Loop, printer: RoutinePrinter) -> bytes:
    """Go round."""
    return LOOP + EMPTY + printer.do(part.parts) + printer.load(part.test) + ZERO + NE + BRANCH_IF + b"\0" + END


def print_stage_loop(part: StageLoop, printer: RoutinePrinter) -> bytes:
    """Go through the stages."""
    return printer.stages(part)


def print_when(part: When, printer: RoutinePrinter) -> bytes:
    """Branch."""
    return printer.load(part.test) + ZERO + NE + IF + EMPTY + printer.do(part.parts) + END


PRINTERS: Mapping[type[Part], Callable[[Any, RoutinePrinter], bytes]] = {
    Block: print_block,
    Lookup: print_lookup,
    Pick: print_pick,
    Put: print_put,
    Loop: print_loop,
    SettledWhen: print_when,
    SettlingLoop: print_loop,
    SideBySide: print_stage_loop,
    StageLoop: print_stage_loop,
    When: print_when,
}
"""What prints each kind of part; the others are written out."""
