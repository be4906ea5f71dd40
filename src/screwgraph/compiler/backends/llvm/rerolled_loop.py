"""A stretch of a program that repeats itself, as a loop: what differs between repetitions stands in tables."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise

from screwgraph.compiler.backends.llvm.ir_text import Lanes, round_to_bits
from screwgraph.compiler.backends.llvm.multiply_add import FUSED
from screwgraph.compiler.backends.llvm.operations import LLVM, Line
from screwgraph.compiler.passes.loop_rerolling import Repeat
from screwgraph.tape import Program

FORMS = {**LLVM, **FUSED}


class RerolledLoop:
    """The body of a loop under construction, with its tables: numbers, and places in memories."""

    def __init__(self, name: str, program: Program, lanes: Lanes, slots: Mapping[int, int], part: Repeat) -> None:
        self._name, self._program, self._lanes, self._slots, self._part = name, program, lanes, slots, part
        self._lines: list[str] = []
        self._numbers: list[Sequence[float]] = []
        self._places: list[Sequence[int]] = []
        self._loaded: dict[tuple[int, ...], str] = {}
        self._pointers: dict[tuple[str, tuple[int, ...]], str] = {}

    def text(self, results: Mapping[int, Sequence[int]], attributes: str) -> str:
        """Return the function `@<name>(in, out, memory)`; `results` are places of values at `%out`."""
        part = self._part
        for k in range(part.period):
            self._write(k)
            ids = [row[k] for row in part.rows]
            if ids[0] in self._slots:
                self._store(k, "%memory", tuple(self._slots[i] for i in ids))
            for places in zip(*(results.get(i, ()) for i in ids), strict=False):
                if all(len(results.get(i, ())) == len(results.get(ids[0], ())) for i in ids):
                    self._store(k, "%out", places)
        arguments = "ptr noalias %in, ptr noalias %out, ptr noalias %memory"
        head = [
            *self._tables(),
            f"define internal void @{self._name}({arguments}) noinline{attributes} {{",
            "entry:",
            "  br label %loop",
            "loop:",
            "  %t = phi i64 [0, %entry], [%t_next, %loop]",
        ]
        tail = [
            "  %t_next = add i64 %t, 1",
            f"  %more = icmp slt i64 %t_next, {len(part.rows)}",
            "  br i1 %more, label %loop, label %end",
            "end:",
            "  ret void",
            "}",
        ]
        return "\n".join([*head, *self._lines, *tail])

    def _write(self, k: int) -> None:
        operation = self._program.instructions[self._part.rows[0][k]][0]
        operands = [self._operand(column) for column in self._part.operands(self._program, k)]
        self._lines += FORMS[operation](Line(f"%b{k}", self._lanes), *operands)

    def _operand(self, column: tuple[int, ...]) -> str:
        """Return the name of an operand, loaded where it was not made in the same repetition."""
        own = self._part.made_before(column)
        if own is not None:
            return f"%b{own}"
        if column not in self._loaded:
            code = self._program.instructions
            kinds = {code[i][0] for i in column}
            if kinds == {"constant"}:
                self._loaded[column] = self._constant([code[i][1] for i in column])
            elif kinds == {"input"}:
                self._loaded[column] = self._load("%in", tuple(code[i][1] for i in column))
            else:
                self._loaded[column] = self._load("%memory", tuple(self._slots[i] for i in column))
        return self._loaded[column]

    def _constant(self, values: Sequence[float]) -> str:
        lanes = self._lanes
        if len({value.hex() for value in values}) == 1:
            return lanes.number(values[0])
        name = f"%n{len(self._numbers)}"
        self._lines += [
            *self._entry(name, "numbers", len(self._numbers)),
            f"  {name} = load {lanes.scalar}, ptr {name}_at, align {lanes.bytes}",
        ]
        self._numbers.append(values)
        if lanes.width == 1:
            return name
        zeros = f"<{lanes.width} x i32> zeroinitializer"
        self._lines += [
            f"  {name}_one = insertelement {lanes.real} poison, {lanes.scalar} {name}, i32 0",
            f"  {name}_all = shufflevector {lanes.real} {name}_one, {lanes.real} poison, {zeros}",
        ]
        return f"{name}_all"

    def _entry(self, name: str, table: str, column: int) -> list[str]:
        """Point to a column of this repetition's row of a table; rows' lengths are known when all is written."""
        return [
            f"  {name}_at = getelementptr %{self._name}_{table}, ptr @{self._name}_{table}, i64 %t, i32 0, i32 {column}"
        ]

    def _pointer(self, memory: str, places: tuple[int, ...]) -> str:
        """Return the address of a number that is at these places of a memory, repetition by repetition."""
        if (memory, places) in self._pointers:
            return self._pointers[memory, places]
        name = f"%p{len(self._pointers)}"
        kind = self._lanes.real if memory == "%memory" else self._lanes.entry
        steps = {b - a for a, b in pairwise(places)}
        if len(steps) == 1:
            self._lines += [
                f"  {name}_far = mul i64 %t, {steps.pop()}",
                f"  {name}_place = add i64 {name}_far, {places[0]}",
            ]
        else:
            column = len(self._places)
            self._places.append(places)
            self._lines += [
                *self._entry(name, "places", column),
                f"  {name}_word = load i32, ptr {name}_at, align 4",
                f"  {name}_place = sext i32 {name}_word to i64",
            ]
        self._lines.append(f"  {name} = getelementptr {kind}, ptr {memory}, i64 {name}_place")
        self._pointers[memory, places] = name
        return name

    def _load(self, memory: str, places: tuple[int, ...]) -> str:
        pointer = self._pointer(memory, places)
        name = f"%l{len(self._loaded)}"
        self._lines.append(f"  {name} = load {self._lanes.real}, ptr {pointer}, align {self._lanes.bytes}")
        return name

    def _store(self, k: int, memory: str, places: tuple[int, ...]) -> None:
        pointer, lanes = self._pointer(memory, places), self._lanes
        how = f"align {lanes.bytes}" if memory == "%memory" else lanes.store_suffix
        self._lines.append(f"  store {lanes.real} %b{k}, ptr {pointer}, {how}")

    def _tables(self) -> list[str]:
        """Return the tables, a row for each repetition."""
        lanes = self._lanes
        texts = [[f"{lanes.scalar} {_number(x, lanes)}" for x in values] for values in self._numbers]
        words = [[f"i32 {place}" for place in places] for places in self._places]
        found = []
        for table, kind, columns in (("numbers", lanes.scalar, texts), ("places", "i32", words)):
            if columns:
                name, rows = f"{self._name}_{table}", zip(*columns, strict=True)
                row = f"[{len(columns)} x {kind}]"
                entries = ", ".join(f"%{name} {{ {row} [{', '.join(own)}] }}" for own in rows)
                count = len(self._part.rows)
                found.append(f"%{name} = type {{ {row} }}")
                found.append(f"@{name} = private constant [{count} x %{name}] [{entries}], align 64")
        return found


def _number(value: float, lanes: Lanes) -> str:
    return "0x" + struct.pack(">d", round_to_bits(value, lanes.bits)).hex().upper()
