"""The bytes of a module: functions of numbers that stand in its memory (WebAssembly Core Specification 1.0, ch. 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.compiler.angles import large_terms
from screwgraph.compiler.backends.wasm.operations import IMPORTED, WASM, A, B, number
from screwgraph.compiler.pieces import SHORT, Pieces, pieces
from screwgraph.tape import LEAVES, Program

PAGE = 65536
"""Bytes of a page of memory."""
F64 = b"\x7c"
TYPES = (b"\x60\x00\x00", b"\x60\x01" + F64 + b"\x01" + F64, b"\x60\x02" + F64 * 2 + b"\x01" + F64)
"""Types of functions: without numbers, of one number, of two."""
MAGIC = b"\0asm\x01\0\0\0"
CALL, END, GET, SET, LOAD, STORE, I32_ZERO = b"\x10", b"\x0b", b"\x20", b"\x21", b"\x2b", b"\x39", b"\x41\x00"
IMPORTS = "math"
"""Name of the object that has the imported functions."""


def wasm_module(programs: Mapping[str, Program]) -> bytes:
    """Return a module that exports `memory` and, for each program, a function without arguments.

    A function reads its inputs from the beginning of the memory, float64 one behind the other, and writes its outputs
    behind them.
    """
    cuts = {name: pieces(program, whole=SHORT) for name, program in programs.items()}
    imported = imported_functions(programs.values())
    numbers = {name: i for i, name in enumerate(imported)}
    bodies, exported = list[bytes](), dict[str, int]()
    for name, program in programs.items():
        first = len(imported) + len(bodies)
        bodies += [_piece(program, cuts[name], part, numbers) for part in cuts[name].straight]
        exported[name] = len(imported) + len(bodies)
        bodies.append(_body(0, b"".join(CALL + leb(first + i) for i in range(len(cuts[name].parts)))))
    sizes = (8 * (len(p.input_names) + len(p.outputs) + len(cuts[name].slots)) for name, p in programs.items())
    exports = [_name("memory") + b"\x02\x00", *(_name(name) + b"\x00" + leb(i) for name, i in exported.items())]
    sections = {
        1: TYPES,
        2: [_name(IMPORTS) + _name(name) + b"\x00" + leb(arity) for name, arity in imported.items()],
        3: [leb(0)] * len(bodies),
        5: [b"\x00" + leb(max(sizes, default=0) // PAGE + 1)],
        7: exports,
        10: bodies,
    }
    return MAGIC + b"".join(bytes([n]) + _sized(_list(items)) for n, items in sections.items())


@dataclass(frozen=True)
class _Values:
    """Where a piece finds values: those of its own in locals, inputs and those of other pieces in memory."""

    program: Program
    cut: Pieces
    local: Mapping[int, int]

    def read(self, i: int) -> bytes:
        """Return the instructions that put a value on the stack."""
        operation, *operands = self.program.instructions[i]
        if operation == "constant":
            return number(operands[0])
        if operation == "input":
            return _load(operands[0])
        if i in self.local:
            return GET + leb(self.local[i])
        return _load(self.slot(i))

    def slot(self, i: int) -> int:
        """Return the place in memory of a value that another piece needs: behind inputs and outputs."""
        return len(self.program.input_names) + len(self.program.outputs) + self.cut.slots[i]


def _piece(program: Program, cut: Pieces, places: Sequence[int], functions: Mapping[str, int]) -> bytes:
    """Return a function that computes the values at these places, and writes the results among them."""
    own = [i for i in places if program.instructions[i][0] not in LEAVES]
    values, large = _Values(program, cut, {i: n for n, i in enumerate(own)}), large_terms(program)
    code = bytearray()
    for i in own:
        operation, *operands = program.instructions[i]
        wrapped = large.get(i, ())
        terms = [values.read(o) + (CALL + leb(functions["wrapped"]) if o in wrapped else b"") for o in operands]
        code += _computed(operation, terms, functions) + SET + leb(values.local[i])
        if i in cut.slots:
            code += _store(values.slot(i), values.read(i))
    inside, is_first = set(places), places is cut.straight[0]
    for n, output in enumerate(program.outputs, len(program.input_names)):
        if isinstance(output, int) and output in inside:
            code += _store(n, values.read(output))
        elif is_first and not isinstance(output, int):
            code += _store(n, number(output))
    return _body(len(own), bytes(code))


def _computed(operation: str, terms: Sequence[bytes], functions: Mapping[str, int]) -> bytes:
    """Return the instructions of an operation on operands."""
    operands = dict(zip((A, B), terms, strict=False))
    parts = (operands.get(p) or (CALL + leb(functions[p]) if isinstance(p, str) else p) for p in WASM[operation])
    return b"".join(part for part in parts if isinstance(part, bytes))


def imported_functions(programs: Iterable[Program]) -> dict[str, int]:
    """Return the functions that programs import, and how many numbers each takes."""
    programs = list(programs)
    used = {p for program in programs for i in program.instructions for p in WASM.get(i[0], ()) if isinstance(p, str)}
    if any(large_terms(program) for program in programs):
        used.add("wrapped")
    return {name: 2 if B in WASM.get(name, ()) else 1 for name in IMPORTED if name in used}


def _load(place: int) -> bytes:
    return I32_ZERO + LOAD + b"\x03" + leb(8 * place)


def _store(place: int, value: bytes) -> bytes:
    return I32_ZERO + value + STORE + b"\x03" + leb(8 * place)


def _body(count: int, code: bytes) -> bytes:
    """Return a function with so many local numbers."""
    return _sized((b"\x01" + leb(count) + F64 if count else b"\x00") + code + END)


def leb(value: int) -> bytes:
    """Write a whole number, seven bits a byte, the lowest first (LEB128)."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _name(text: str) -> bytes:
    return _sized(text.encode())


def _sized(content: bytes) -> bytes:
    return leb(len(content)) + content


def _list(items: Sequence[bytes]) -> bytes:
    return leb(len(items)) + b"".join(items)
