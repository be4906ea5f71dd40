"""Parts of a routine many times over, in one memory: a simulation's steps as one call of machine code."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.backends.llvm.allocation import ALLOCATIONS
from screwgraph.compiler.backends.llvm.machine import Entry, drafted_code, served
from screwgraph.compiler.backends.llvm.operations import function_declarations
from screwgraph.compiler.backends.llvm.routine import PartsWriter, described
from screwgraph.compiler.backends.llvm.sincos import sincos
from screwgraph.compiler.backends.llvm.sines import several, sines
from screwgraph.compiler.backends.llvm.text import Lanes, declarations
from screwgraph.compiler.backends.llvm.wrap import wrapped
from screwgraph.compiler.pieces import WHOLE
from screwgraph.summary import one_line
from screwgraph.tape import Part
from screwgraph.tape.routine import blocks_of

ONE = Lanes(1)


@dataclass(frozen=True, eq=False)
class March:
    """The parts of a step, which counts if the number at `counts` is not 0 after it; then `kept` is copied away."""

    __repr__ = one_line

    parts: tuple[Part, ...]
    counts: int
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
    question = ("march", described(march.parts), march.counts, (march.kept.start, march.kept.stop))
    code = drafted_code(question, lambda whole: assembly(march, whole), ("march",))
    return Marching(served(code, "march"), len(march.kept))


def assembly(march: March, whole: int = WHOLE) -> str:
    """Return the LLVM assembly of a march."""
    writer, width = PartsWriter(ONE, whole), len(march.kept)
    writer.write(march.parts)
    counts = writer.truth(march.counts)
    instructions = [i for block in blocks_of(march.parts) for i in block.program.instructions]
    return "\n".join(
        [
            ALLOCATIONS,
            "declare double @sin(double)",
            "declare double @cos(double)",
            *function_declarations(instructions, [ONE]),
            declarations(ONE),
            sincos(ONE),
            wrapped(ONE),
            sines(several(ONE.bits), present=False),
            *writer.functions,
            "define i64 @march(ptr %memory, ptr %rows, i64 %steps) {",
            "entry:",
            *writer.head,
            f"  %kept = getelementptr double, ptr %memory, i64 {march.kept.start}",
            "  br label %next",
            "next:",
            "  %k = phi i64 [0, %entry], [%k_next, %keep]",
            "  %more = icmp slt i64 %k, %steps",
            "  br i1 %more, label %step, label %end",
            "step:",
            *writer.lines,
            f"  br i1 {counts}, label %keep, label %end",
            "keep:",
            f"  %away = mul i64 %k, {width}",
            "  %row = getelementptr double, ptr %rows, i64 %away",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %row, ptr %kept, i64 {8 * width}, i1 false)",
            "  %k_next = add i64 %k, 1",
            "  br label %next",
            "end:",
            "  ret i64 %k",
            "}",
            '!0 = !{!"branch_weights", i32 1, i32 1000000}',
        ]
    )
