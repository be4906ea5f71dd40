"""Code with loops as LLVM assembly."""

from screwgraph.compiler.backends.llvm.rolled.block import rolled_block, widest

__all__ = ["rolled_block", "widest"]
