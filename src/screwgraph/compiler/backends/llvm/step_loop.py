"""Parts of a routine many times over, in one memory: a simulation's steps as one call of machine code."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.compiler.backends.llvm.allocation import ALLOCATIONS
from screwgraph.compiler.backends.llvm.angle_reduction import emit_angle_reduction
from screwgraph.compiler.backends.llvm.ir_text import Lanes, emit_intrinsics
from screwgraph.compiler.backends.llvm.machine_code import Entry, compile_tiered, make_entry
from screwgraph.compiler.backends.llvm.operations import function_declarations
from screwgraph.compiler.backends.llvm.routine import PartsWriter, parts_key
from screwgraph.compiler.backends.llvm.sincos import emit_sincos
from screwgraph.compiler.backends.llvm.vector_sines import emit_vector_sines, sines_per_vector
from screwgraph.compiler.passes.outlining import WHOLE
from screwgraph.tape import Part
from screwgraph.tape.routine import blocks_of

ONE = Lanes(1)


@dataclass(frozen=True, eq=False)
class StepLoop:
    """The parts of a step, which counts if the number at `counts` is not 0 after it; then `kept` is copied away."""

    __repr__ = one_line

    parts: tuple[Part, ...]
    counts: int
    kept: range


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
    question = ("step_loop", parts_key(loop.parts), loop.counts, (loop.kept.start, loop.kept.stop))
    code = compile_tiered(question, lambda whole: assembly(loop, whole), ("step_loop",))
    return CompiledStepLoop(make_entry(code, "step_loop"), len(loop.kept))


def assembly(loop: StepLoop, whole: int = WHOLE) -> str:
    """Return the LLVM assembly of a step loop."""
    writer, width = PartsWriter(ONE, whole), len(loop.kept)
    writer.write(loop.parts)
    counts = writer.truth(loop.counts)
    instructions = [i for block in blocks_of(loop.parts) for i in block.program.instructions]
    return "\n".join(
        [
            ALLOCATIONS,
            "declare double @sin(double)",
            "declare double @cos(double)",
            *function_declarations(instructions, [ONE]),
            emit_intrinsics(ONE),
            emit_sincos(ONE),
            emit_angle_reduction(ONE),
            emit_vector_sines(sines_per_vector(ONE.bits), present=False),
            *writer.functions,
            "define i64 @step_loop(ptr %memory, ptr %rows, i64 %steps) {",
            "entry:",
            *writer.head,
            f"  %kept = getelementptr double, ptr %memory, i64 {loop.kept.start}",
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
