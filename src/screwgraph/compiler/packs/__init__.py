"""Equal limbs side by side: from a program to packs of operations that one instruction does."""

from screwgraph.compiler.packs.packs import Packed, Unit, packed
from screwgraph.compiler.packs.pairing import Pack
from screwgraph.compiler.packs.signs import inner, times

__all__ = ["Pack", "Packed", "Unit", "inner", "packed", "times"]
