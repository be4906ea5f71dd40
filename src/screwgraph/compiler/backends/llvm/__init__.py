"""Machine code through LLVM: a program becomes a NumPy gufunc, vectorised over samples."""

from screwgraph.compiler.backends.llvm.gufunc import Compiled, compiled, llvm_source
from screwgraph.compiler.backends.llvm.machine import MachineCode, remembered_code, vector_width
from screwgraph.compiler.backends.llvm.step_loop import March, Marching, Settle, Stage, marching
from screwgraph.compiler.backends.llvm.text import Lanes

__all__ = [
    "Compiled",
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
