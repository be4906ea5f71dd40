"""Programs one after the other, many times over, in one memory: a simulation's steps as one call of machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.backends.llvm.allocation import ALLOCATIONS
from screwgraph.compiler.backends.llvm.block import block
from screwgraph.compiler.backends.llvm.machine import Entry, drafted_code, served
from screwgraph.compiler.backends.llvm.sincos import sincos
from screwgraph.compiler.backends.llvm.sines import several, sines
from screwgraph.compiler.backends.llvm.text import Lanes, declarations
from screwgraph.compiler.backends.llvm.wrap import wrapped
from screwgraph.compiler.cache import pack_program
from screwgraph.compiler.pieces import WHOLE
from screwgraph.summary import one_line
from screwgraph.tape import Program

ONE = Lanes(1)


@dataclass(frozen=True, eq=False)
class Stage:
    """A program, and where in memory its inputs and its outputs stand."""

    __repr__ = one_line

    program: Program
    reads: tuple[int, ...]
    writes: tuple[int, ...]


Bounds = tuple[tuple[int, float], ...]
"""Places in memory, and how large the numbers there may be."""


@dataclass(frozen=True, eq=False)
class Settle:
    """Look, and correct until what is seen is within `bounds`; it fails after `most` looks."""

    look: Stage
    correct: Stage
    bounds: Bounds
    most: int


@dataclass(frozen=True, eq=False)
class March:
    """The parts of a step. It counts if numbers are within `bounds` after it; then those in `kept` are copied away."""

    parts: tuple[Stage | Settle, ...]
    bounds: Bounds
    kept: range


@dataclass(frozen=True, eq=False)
class Marching:
    """Machine code of a march."""

    entry: Entry
    width: int

    def __call__(self, memory: Float[np.ndarray, " n"], rows: Float[np.ndarray, "steps width"]) -> int:
        """Take as many steps as there are rows, from what is in memory; return how many counted, which fill rows."""
        pointer = ctypes.c_void_p
        function = ctypes.CFUNCTYPE(ctypes.c_int64, pointer, pointer, ctypes.c_int64)(self.entry.address)
        return function(memory.ctypes.data, rows.ctypes.data, len(rows))


def marching(march: March) -> Marching:
    """Compile a march for this machine."""
    question = ("march", [_described(part) for part in march.parts], march.bounds, (march.kept.start, march.kept.stop))
    code = drafted_code(question, lambda whole: assembly(march, whole), ("march",))
    return Marching(served(code, "march"), len(march.kept))


def assembly(march: March, whole: int = WHOLE) -> str:
    """Return the LLVM assembly of a march."""
    stages = [stage for part in march.parts for stage in _stages(part)]
    programs = {id(stage.program): stage.program for stage in stages}
    names = {key: f"program{number}_" for number, key in enumerate(programs)}
    lines = [
        ALLOCATIONS,
        "declare double @sin(double)",
        "declare double @cos(double)",
        "declare double @llvm.fabs.f64(double)",
        declarations(ONE),
        sincos(ONE),
        wrapped(ONE),
        sines(several(ONE.bits), present=False),
        *(block(program, ONE, names[key], whole=whole) for key, program in programs.items()),
    ]
    for number, part in enumerate(march.parts):
        if isinstance(part, Stage):
            lines += _stage(f"part{number}", part, names[id(part.program)])
        else:
            lines += _settle(f"part{number}", part, names)
    lines += [*_within("sound", march.bounds), *_loop(march), '!0 = !{!"branch_weights", i32 1, i32 1000000}']
    return "\n".join(lines)


def _described(part: Stage | Settle) -> Any:
    if isinstance(part, Stage):
        return pack_program(part.program), part.reads, part.writes
    return [_described(stage) for stage in _stages(part)], part.bounds, part.most


def _stages(part: Stage | Settle) -> Sequence[Stage]:
    return (part,) if isinstance(part, Stage) else (part.look, part.correct)


def _stage(name: str, stage: Stage, program: str) -> list[str]:
    """Gather a program's inputs, run it, and scatter its outputs."""
    sizes = {"in": max(len(stage.reads), 1), "out": max(len(stage.writes), 1)}
    lines = [f"define internal void @{name}(ptr %memory) {{", "entry:"]
    lines += [f"  %{side} = alloca [{size} x double], align 64" for side, size in sizes.items()]
    used = {i[1] for i in stage.program.instructions if i[0] == "input"}
    for i, place in enumerate(stage.reads):
        lines += _copied(f"r{i}", ("%memory", place), ("%in", i)) if i in used else []
    lines.append(f"  call void @{program}{ONE.tag}(ptr %in, ptr %out)")
    for i, place in enumerate(stage.writes):
        lines += _copied(f"w{i}", ("%out", i), ("%memory", place))
    return [*lines, "  ret void", "}"]


def _copied(name: str, source: tuple[str, int], target: tuple[str, int]) -> list[str]:
    lines = [
        f"  %{name}_{side} = getelementptr double, ptr {array}, i64 {place}"
        for side, (array, place) in (("from", source), ("to", target))
    ]
    load = f"  %{name} = load double, ptr %{name}_from, align 8"
    return [*lines, load, f"  store double %{name}, ptr %{name}_to, align 8"]


def _settle(name: str, part: Settle, names: dict[int, str]) -> list[str]:
    return [
        *_stage(f"{name}_look", part.look, names[id(part.look.program)]),
        *_stage(f"{name}_correct", part.correct, names[id(part.correct.program)]),
        *_within(f"{name}_within", part.bounds),
        f"define internal i1 @{name}(ptr %memory) {{",
        "entry:",
        "  br label %look",
        "look:",
        "  %looks = phi i64 [1, %entry], [%more_looks, %correct]",
        f"  call void @{name}_look(ptr %memory)",
        f"  %settled = call i1 @{name}_within(ptr %memory)",
        "  br i1 %settled, label %end, label %again",
        "again:",
        "  %more_looks = add i64 %looks, 1",
        f"  %allowed = icmp sle i64 %more_looks, {part.most}",
        "  br i1 %allowed, label %correct, label %end",
        "correct:",
        f"  call void @{name}_correct(ptr %memory)",
        "  br label %look",
        "end:",
        "  %found = phi i1 [true, %look], [false, %again]",
        "  ret i1 %found",
        "}",
    ]


def _within(name: str, bounds: Bounds) -> list[str]:
    """Whether all of some numbers are within their bounds; NaN is not."""
    lines, whole = [f"define internal i1 @{name}(ptr %memory) {{"], "true"
    for i, (place, bound) in enumerate(bounds):
        lines += [
            f"  %at{i} = getelementptr double, ptr %memory, i64 {place}",
            f"  %x{i} = load double, ptr %at{i}, align 8",
            f"  %size{i} = call double @llvm.fabs.f64(double %x{i})",
            f"  %fits{i} = fcmp ole double %size{i}, {ONE.number(bound)}",
            f"  %all{i} = and i1 {whole}, %fits{i}",
        ]
        whole = f"%all{i}"
    return [*lines, f"  ret i1 {whole}", "}"]


def _loop(march: March) -> list[str]:
    lines = [
        "define i64 @march(ptr %memory, ptr %rows, i64 %steps) {",
        "entry:",
        f"  %kept = getelementptr double, ptr %memory, i64 {march.kept.start}",
        "  br label %next",
        "next:",
        "  %k = phi i64 [0, %entry], [%k_next, %keep]",
        "  %more = icmp slt i64 %k, %steps",
        "  br i1 %more, label %step, label %end",
        "step:",
    ]
    for number, part in enumerate(march.parts):
        if isinstance(part, Stage):
            lines.append(f"  call void @part{number}(ptr %memory)")
            continue
        lines += [
            f"  %done{number} = call i1 @part{number}(ptr %memory)",
            f"  br i1 %done{number}, label %after{number}, label %end",
            f"after{number}:",
        ]
    return [
        *lines,
        "  %counts = call i1 @sound(ptr %memory)",
        "  br i1 %counts, label %keep, label %end",
        "keep:",
        f"  %away = mul i64 %k, {len(march.kept)}",
        "  %row = getelementptr double, ptr %rows, i64 %away",
        f"  call void @llvm.memcpy.p0.p0.i64(ptr %row, ptr %kept, i64 {8 * len(march.kept)}, i1 false)",
        "  %k_next = add i64 %k, 1",
        "  br label %next",
        "end:",
        "  ret i64 %k",
        "}",
    ]
