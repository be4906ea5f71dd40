"""Machine code through LLVM: a program becomes a NumPy gufunc, vectorised over samples."""

from screwgraph.compiler.backends.base import Backend, ExportedFunction, write_one_file_each
from screwgraph.compiler.backends.llvm.allocation import LINE
from screwgraph.compiler.backends.llvm.assembly import emit_loop, emit_packed_block
from screwgraph.compiler.backends.llvm.blocked_loop import CompiledBlocks, compile_blocks
from screwgraph.compiler.backends.llvm.domain_counter import EVERYTHING, Domains
from screwgraph.compiler.backends.llvm.gufunc import CompiledProgram, compile_loop, compile_program
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import (
    Entry,
    MachineCode,
    compile_tiered,
    get_machine_code,
    streaming_threshold,
    vector_width,
)
from screwgraph.compiler.backends.llvm.operations import LLVM, TOGETHER
from screwgraph.compiler.backends.llvm.step_loop import CompiledStepLoop, StepLoop, compile_step_loop
from screwgraph.compiler.backends.llvm.xla import Interface, emit_xla_handler


def _text(f: ExportedFunction) -> str:
    shapes, results = [(a.shape, a.names) for a in f.arguments], [r.shape for r in f.results]
    alone, batches = emit_packed_block(f.code, shapes, f.dtype), not f.code.goes_alone
    return emit_loop(f.code, shapes, results, f.dtype, batches=batches, alone=alone)


BACKEND = Backend(
    "LLVM assembly, for the vectors of this machine, with NumPy's loop",
    LLVM.keys() | set(TOGETHER),
    write_one_file_each(".ll", _text),
)

__all__ = [
    "BACKEND",
    "EVERYTHING",
    "LINE",
    "CompiledBlocks",
    "CompiledProgram",
    "CompiledStepLoop",
    "Domains",
    "Entry",
    "Interface",
    "Lanes",
    "MachineCode",
    "StepLoop",
    "compile_blocks",
    "compile_loop",
    "compile_program",
    "compile_step_loop",
    "compile_tiered",
    "emit_loop",
    "emit_xla_handler",
    "get_machine_code",
    "streaming_threshold",
    "vector_width",
]
