"""Machine code through LLVM: a program becomes a NumPy gufunc, vectorised over samples."""

from screwgraph.compiler.llvm.gufunc import Compiled, compiled, llvm_source

__all__ = ["Compiled", "compiled", "llvm_source"]
