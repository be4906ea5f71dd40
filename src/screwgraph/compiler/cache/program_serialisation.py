"""A program as bytes and back, exactly; its instructions are unpacked when somebody reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from screwgraph.tape import Program

CODE, PLACE, REAL, LENGTH = np.dtype("u1"), np.dtype("<i4"), np.dtype("<f8"), np.dtype("<u4")
NO_PLACE = -1
"""Stands where an instruction has fewer operands, or an output is a constant."""

Instruction = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class PackedInstructions(Sequence[Instruction]):
    """Instructions as bytes: one code each for the operation, then operands, then constants."""

    operations: tuple[tuple[str, int], ...]
    size: int
    constants: int
    data: bytes

    @cached_property
    def unpacked(self) -> tuple[Instruction, ...]:
        """The instructions as a program holds them."""
        most = _most(self.operations)
        codes, rest = _take(memoryview(self.data), CODE, self.size)
        places, rest = _take(rest, PLACE, self.size * most)
        values, _ = _take(rest, REAL, self.constants)
        columns, reals = places.reshape(self.size, most).T, values.tolist()
        made: list[Instruction] = [()] * self.size
        for code, (name, arity) in enumerate(self.operations):
            where = np.flatnonzero(codes == code)
            operands = [column[where].tolist() for column in columns[:arity]]
            if name == "constant":
                operands = [[reals[place] for place in operands[0]]]
            for i, instruction in zip(where.tolist(), zip(repeat(name), *operands, strict=False), strict=True):
                made[i] = instruction
        return tuple(made)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.unpacked)

    def __getitem__(self, index: Any) -> Any:
        return self.unpacked[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.unpacked == tuple(other)

    def __hash__(self) -> int:
        return hash(self.unpacked)


def pack_program(program: Program) -> bytes:
    """Return a program's bytes: equal programs have equal ones."""
    packed = _pack_instructions(program.instructions)
    names = {"inputs": program.input_names, "operations": packed.operations}
    counts = {"count": packed.size, "constants": packed.constants, "outputs": len(program.outputs)}
    header = json.dumps({**names, **counts}).encode()
    outputs = program.outputs
    places = np.array([o if isinstance(o, int) else NO_PLACE for o in outputs], PLACE)
    values = np.array([0.0 if isinstance(o, int) else o for o in outputs], REAL)
    length = np.array(len(header), LENGTH)
    return b"".join((length.tobytes(), header, places.tobytes(), values.tobytes(), packed.data))


def unpack_program(data: bytes) -> Program:
    """Return the program that `pack_program` packed."""
    length, rest = _take(memoryview(data), LENGTH, 1)
    size = int(length[0])
    header = json.loads(bytes(rest[:size]))
    places, rest = _take(rest[size:], PLACE, header["outputs"])
    values, rest = _take(rest, REAL, header["outputs"])
    pairs = zip(places.tolist(), values.tolist(), strict=True)
    outputs = tuple(value if place == NO_PLACE else place for place, value in pairs)
    operations = tuple((str(name), int(arity)) for name, arity in header["operations"])
    instructions = PackedInstructions(operations, header["count"], header["constants"], bytes(rest))
    return Program(tuple(header["inputs"]), instructions, outputs)


def _pack_instructions(instructions: Sequence[Instruction]) -> PackedInstructions:
    if isinstance(instructions, PackedInstructions):
        return instructions
    operations = tuple(sorted({(i[0], len(i) - 1) for i in instructions}))
    code = {operation: n for n, operation in enumerate(operations)}
    most = _most(operations)
    codes = np.array([code[i[0], len(i) - 1] for i in instructions], CODE)
    places, constants = np.full((len(codes), most), NO_PLACE, PLACE), list[float]()
    for n, (name, arity) in enumerate(operations):
        where = np.flatnonzero(codes == n)
        if name == "constant":
            constants = [instructions[i][1] for i in where.tolist()]
            places[where, 0] = np.arange(len(where))
            continue
        for k in range(arity):
            places[where, k] = [instructions[i][1 + k] for i in where.tolist()]
    data = (codes, places, np.array(constants, REAL))
    return PackedInstructions(operations, len(codes), len(constants), b"".join(c.tobytes() for c in data))


def _most(operations: Sequence[tuple[str, int]]) -> int:
    return max((arity for _, arity in operations), default=0)


def _take(data: memoryview, dtype: np.dtype, count: int) -> tuple[np.ndarray, memoryview]:
    size = count * dtype.itemsize
    return np.frombuffer(data[:size], dtype), data[size:]
