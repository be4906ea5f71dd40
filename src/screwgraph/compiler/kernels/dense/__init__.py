"""Dense kernels for blocks: J'J of many small Jacobians, factorisation along chains of blocks, sums over places.

Loops of a fixed shape, written as LLVM assembly for the vectors of this processor.
"""

from screwgraph.compiler.kernels.dense.chain_factor import UNROLLED, Shape
from screwgraph.compiler.kernels.dense.code import chain_code, place_code
from screwgraph.compiler.kernels.dense.gram import Gram, gram

__all__ = ["UNROLLED", "Gram", "Shape", "chain_code", "gram", "place_code"]
