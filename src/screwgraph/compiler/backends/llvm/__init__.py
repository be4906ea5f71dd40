"""Machine code through LLVM: a program becomes a NumPy gufunc, vectorised over samples."""

from screwgraph.compiler.backends.base import Backend, Listing
from screwgraph.compiler.backends.llvm.descent import COUNTS, Descent
from screwgraph.compiler.backends.llvm.gufunc import Compiled, compiled, llvm_source
from screwgraph.compiler.backends.llvm.machine import MachineCode, remembered_code, vector_width
from screwgraph.compiler.backends.llvm.operations import LLVM, TOGETHER
from screwgraph.compiler.backends.llvm.step_loop import March, Marching, Settle, Stage, marching
from screwgraph.compiler.backends.llvm.text import Lanes


def _files(f: Listing) -> dict[str, str]:
    shapes = [(a.shape, a.names) for a in f.arguments]
    return {".ll": llvm_source(f.program, shapes, [r.shape for r in f.results], f.dtype)}


BACKEND = Backend(
    "LLVM assembly, for the vectors of this machine, with NumPy's loop", LLVM.keys() | set(TOGETHER), _files
)

__all__ = [
    "BACKEND",
    "COUNTS",
    "Compiled",
    "Descent",
    "Lanes",
    "MachineCode",
    "March",
    "Marching",
    "Settle",
    "Stage",
    "compiled",
    "llvm_source",
    "marching",
    "remembered_code",
    "vector_width",
]
