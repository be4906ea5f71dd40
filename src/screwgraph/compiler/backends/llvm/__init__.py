"""Machine code through LLVM: a program becomes a NumPy gufunc, vectorised over samples."""

from screwgraph.compiler.backends.base import Backend, Listing, one_file_each
from screwgraph.compiler.backends.llvm.allocation import LINE
from screwgraph.compiler.backends.llvm.assembly import alone_block, llvm_source
from screwgraph.compiler.backends.llvm.blocked import CompiledBlocks, compiled_blocks
from screwgraph.compiler.backends.llvm.gufunc import Compiled, compiled, compiled_loop
from screwgraph.compiler.backends.llvm.machine import (
    Entry,
    MachineCode,
    drafted_code,
    past_bytes,
    remembered_code,
    vector_width,
)
from screwgraph.compiler.backends.llvm.operations import LLVM, TOGETHER
from screwgraph.compiler.backends.llvm.step_loop import March, Marching, marching
from screwgraph.compiler.backends.llvm.text import Lanes
from screwgraph.compiler.backends.llvm.xla import Interface, xla_handler


def _text(f: Listing) -> str:
    shapes = [(a.shape, a.names) for a in f.arguments]
    return llvm_source(
        f.program, shapes, [r.shape for r in f.results], f.dtype, alone=alone_block(f.program, shapes, f.dtype)
    )


BACKEND = Backend(
    "LLVM assembly, for the vectors of this machine, with NumPy's loop",
    LLVM.keys() | set(TOGETHER),
    one_file_each(".ll", _text),
)

__all__ = [
    "BACKEND",
    "LINE",
    "Compiled",
    "CompiledBlocks",
    "Entry",
    "Interface",
    "Lanes",
    "MachineCode",
    "March",
    "Marching",
    "compiled",
    "compiled_blocks",
    "compiled_loop",
    "drafted_code",
    "llvm_source",
    "marching",
    "past_bytes",
    "remembered_code",
    "vector_width",
    "xla_handler",
]
