"""Parts of a routine many times over, in one memory: a simulation's steps as one call of machine code."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.compiler.backends.llvm.assembly import emit_declarations
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import Entry, compile_tiered, make_entry
from screwgraph.compiler.backends.llvm.routine import PartsPrinter
from screwgraph.compiler.cache import pack_code
from screwgraph.compiler.passes.outlining import WHOLE
from screwgraph.tape import Part, Routine

ONE = Lanes(1)


@dataclass(frozen=True, eq=False)
class StepLoop:
    """The parts of a step, which counts if the number at `counts` is not 0 after it; then `kept` is copied away."""

    __repr__ = one_line

    parts: tuple[Part, ...]
    counts: int
    kept: range

    @property
    def code(self) -> Routine:
        """The parts, in a memory that the caller has."""
        return Routine((), (), (), 0, self.parts)


@dataclass(frozen=True, eq=False)
class CompiledStepLoop:
    """Machine code of a step loop."""

    entry: Entry
    width: int

    def __call__(self, memory: Float[np.ndarray, " n"], rows: Float[np.ndarray, "steps width"]) -> int:
        """Take as many steps as there are rows, from what is in memory; return how many counted, which fill rows."""
        pointer = ctypes.c_void_p
        function = ctypes.CFUNCTYPE(ctypes.c_int64, pointer, pointer, ctypes.c_int64)(self.entry.address)
        return function(memory.ctypes.data, rows.ctypes.data, len(rows))


def compile_step_loop(loop: StepLoop) -> CompiledStepLoop:
    """Compile a step loop for this machine."""
    question = ("step_loop", pack_code(loop.code), loop.counts, (loop.kept.start, loop.kept.stop))
    code = compile_tiered(question, lambda whole: assembly(loop, whole), ("step_loop",))
    return CompiledStepLoop(make_entry(code, "step_loop"), len(loop.kept))


def assembly(loop: StepLoop, whole: int = WHOLE) -> str:
    """Return the LLVM assembly of a step loop."""
    printer, width = PartsPrinter(ONE, whole), len(loop.kept)
    printer.do(loop.parts)
    ends = printer.body.is_zero(loop.counts)
    return "\n".join(
        [
            *emit_declarations(loop.code, [ONE]),
            *printer.functions,
            "define i64 @step_loop(ptr %memory, ptr %rows, i64 %steps) {",
            "entry:",
            *printer.body.head,
            f"  %kept = getelementptr double, ptr %memory, i64 {loop.kept.start}",
            "  br label %next",
            "next:",
            "  %k = phi i64 [0, %entry], [%k_next, %keep]",
            "  %more = icmp slt i64 %k, %steps",
            "  br i1 %more, label %step, label %end",
            "step:",
            *printer.body.lines,
            f"  br i1 {ends}, label %end, label %keep",
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
