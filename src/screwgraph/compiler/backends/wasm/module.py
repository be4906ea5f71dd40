"""The bytes of a module: functions of numbers that stand in its memory (WebAssembly Core Specification 1.0, ch. 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from screwgraph.compiler.backends.wasm.encoding import (
    CALL,
    F64,
    GET,
    SET,
    emit_body,
    emit_load,
    emit_store,
    encode_leb128,
    prefix_size,
)
from screwgraph.compiler.backends.wasm.operations import IMPORTED, WASM, A, B, emit_constant
from screwgraph.compiler.backends.wasm.routine import emit_routine
from screwgraph.compiler.passes.angle_reduction import find_large_terms
from screwgraph.compiler.passes.outlining import SHORT, Outlines, outline_program
from screwgraph.tape import LEAVES, Code, Program, Routine

PAGE = 65536
"""Bytes of a page of memory."""
TYPES = (b"\x60\x00\x00", b"\x60\x01" + F64 + b"\x01" + F64, b"\x60\x02" + F64 * 2 + b"\x01" + F64)
"""Types of functions: without numbers, of one number, of two."""
MAGIC = b"\0asm\x01\0\0\0"
IMPORTS = "math"
"""Name of the object that has the imported functions."""


def emit_module(codes: Mapping[str, Code]) -> bytes:
    """Return a module that exports `memory` and, for each code, a function without arguments.

    A function reads its inputs from the beginning of the memory, float64 one behind the other, and writes its outputs
    behind them.
    """
    imported = list_imports(codes.values())
    module = FunctionBodies(imported)
    exported = {name: module.add(code) for name, code in codes.items()}
    exports = [
        _name("memory") + b"\x02\x00",
        *(_name(name) + b"\x00" + encode_leb128(i) for name, i in exported.items()),
    ]
    sections = {
        1: TYPES,
        2: [_name(IMPORTS) + _name(name) + b"\x00" + encode_leb128(arity) for name, arity in imported.items()],
        3: [encode_leb128(0)] * len(module.bodies),
        5: [b"\x00" + encode_leb128(8 * module.size // PAGE + 1)],
        7: exports,
        10: module.bodies,
    }
    return MAGIC + b"".join(bytes([n]) + prefix_size(_list(items)) for n, items in sections.items())


@dataclass
class FunctionBodies:
    """The functions of a module, and how many numbers of its memory they use; what they import has numbers first."""

    imported: Mapping[str, int]
    bodies: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, code: Code) -> int:
        """Add a function, and return its number."""
        if isinstance(code, Routine) and (code.is_conditional or code.repeats):
            return self.append(emit_routine(code, self))
        return self.append(function_body(self.pieces(code.unrolled, 0)))

    def pieces(self, program: Program, base: int) -> list[int]:
        """Add the pieces of a program, whose inputs stand from the place `base` on; return their numbers."""
        cut, numbers = outline_program(program, whole=SHORT), {name: i for i, name in enumerate(self.imported)}
        self.size = max(self.size, base + len(program.input_names) + len(program.outputs) + cut.size)
        return [self.append(_piece(program, cut, part, numbers, base)) for part in cut.straight]

    def append(self, body: bytes) -> int:
        """Add the bytes of a function, and return its number."""
        self.bodies.append(body)
        return len(self.imported) + len(self.bodies) - 1


def function_body(called: Iterable[int]) -> bytes:
    """Return a function that calls others, one after the other."""
    return emit_body(0, b"".join(CALL + encode_leb128(i) for i in called))


@dataclass(frozen=True)
class _Values:
    """Storage of a piece's values: its own in locals, inputs and values of other pieces in memory."""

    program: Program
    cut: Outlines
    local: Mapping[int, int]
    base: int

    def emit_read(self, i: int) -> bytes:
        """Return the instructions that put a value on the stack."""
        operation, *operands = self.program.instructions[i]
        if operation == "constant":
            return emit_constant(operands[0])
        if operation == "input":
            return emit_load(self.base + operands[0])
        if i in self.local:
            return GET + encode_leb128(self.local[i])
        return emit_load(self.slot(i))

    @property
    def outputs(self) -> int:
        """The place in memory of the first output."""
        return self.base + len(self.program.input_names)

    def slot(self, i: int) -> int:
        """Return the place in memory of a value that another piece needs: behind inputs and outputs."""
        return self.outputs + len(self.program.outputs) + self.cut.slots[i]


def _piece(program: Program, cut: Outlines, places: Sequence[int], functions: Mapping[str, int], base: int) -> bytes:
    """Return a function that computes the values at these places, and writes the results among them."""
    own = [i for i in places if program.instructions[i][0] not in LEAVES]
    values, large = _Values(program, cut, {i: n for n, i in enumerate(own)}, base), find_large_terms(program)
    code = bytearray()
    for i in own:
        operation, *operands = program.instructions[i]
        wrapped = large.get(i, ())
        terms = [
            values.emit_read(o) + (CALL + encode_leb128(functions["wrapped"]) if o in wrapped else b"")
            for o in operands
        ]
        code += _emit_operation(operation, terms, functions) + SET + encode_leb128(values.local[i])
        if i in cut.slots:
            code += emit_store(values.slot(i), values.emit_read(i))
    inside, is_first = set(places), places is cut.straight[0]
    for n, output in enumerate(program.outputs, values.outputs):
        if isinstance(output, int) and output in inside:
            code += emit_store(n, values.emit_read(output))
        elif is_first and not isinstance(output, int):
            code += emit_store(n, emit_constant(output))
    return emit_body(len(own), bytes(code))


def _emit_operation(operation: str, terms: Sequence[bytes], functions: Mapping[str, int]) -> bytes:
    """Return the instructions of an operation on operands."""
    operands = dict(zip((A, B), terms, strict=False))
    parts = (
        operands.get(p) or (CALL + encode_leb128(functions[p]) if isinstance(p, str) else p) for p in WASM[operation]
    )
    return b"".join(part for part in parts if isinstance(part, bytes))


def list_imports(codes: Iterable[Code]) -> dict[str, int]:
    """Return the functions that codes import, and how many numbers each takes."""
    programs = [program for code in codes for program in code.programs]
    used = {p for program in programs for i in program.instructions for p in WASM.get(i[0], ()) if isinstance(p, str)}
    if any(find_large_terms(program) for program in programs):
        used.add("wrapped")
    return {name: 2 if B in WASM.get(name, ()) else 1 for name in IMPORTED if name in used}


def _name(text: str) -> bytes:
    return prefix_size(text.encode())


def _list(items: Sequence[bytes]) -> bytes:
    return encode_leb128(len(items)) + b"".join(items)
