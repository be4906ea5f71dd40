"""Code with loops as LLVM assembly."""

from screwgraph.compiler.backends.llvm.rolled.block import emit_rolled_block, emit_rolled_stages, widest_vector

__all__ = ["emit_rolled_block", "emit_rolled_stages", "widest_vector"]
