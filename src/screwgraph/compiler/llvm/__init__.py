"""Machine code through LLVM: a program becomes a NumPy gufunc, vectorised over samples."""

from screwgraph.compiler.llvm.gufunc import gufunc, llvm_source

__all__ = ["gufunc", "llvm_source"]
