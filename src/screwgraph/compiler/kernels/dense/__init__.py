"""Dense kernels for blocks: J'J of many small Jacobians, factorisation along chains of blocks, sums over places.

Loops of a fixed shape, written as LLVM assembly for the vectors of this processor.
"""

from screwgraph.compiler.kernels.dense.chain_factor import UNROLLED, ChainShape
from screwgraph.compiler.kernels.dense.gram import Gram, make_gram
from screwgraph.compiler.kernels.dense.panel_kernels import compile_chain, compile_places

__all__ = ["UNROLLED", "ChainShape", "Gram", "compile_chain", "compile_places", "make_gram"]
