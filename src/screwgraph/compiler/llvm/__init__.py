"""Machine code through LLVM: a program becomes a NumPy gufunc, vectorised over samples."""

from screwgraph.compiler.llvm.gufunc import Compiled, compiled, llvm_source
from screwgraph.compiler.llvm.march import March, Marching, Settle, Stage, marching

__all__ = ["Compiled", "March", "Marching", "Settle", "Stage", "compiled", "llvm_source", "marching"]
