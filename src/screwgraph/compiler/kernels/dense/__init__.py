"""Dense kernels for blocks: J'J of many small Jacobians, factorisation along chains of blocks, sums over places.

Loops of a fixed shape, written as LLVM assembly for the vectors of this processor.
"""

from screwgraph.compiler.kernels.dense.chain_factor import UNROLLED, ChainShape
from screwgraph.compiler.kernels.dense.gram import Gram, make_gram
from screwgraph.compiler.kernels.dense.panel_kernels import compile_chain, compile_places
from screwgraph.compiler.kernels.dense.product_sums import emit_product_sums

__all__ = ["UNROLLED", "ChainShape", "Gram", "compile_chain", "compile_places", "emit_product_sums", "make_gram"]
