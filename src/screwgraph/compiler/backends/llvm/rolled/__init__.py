"""Code with loops as LLVM assembly."""

from screwgraph.compiler.backends.llvm.rolled.block import rolled_block, rolled_stages, widest

__all__ = ["rolled_block", "rolled_stages", "widest"]
