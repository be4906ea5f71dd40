"""Equal limbs side by side: from a program to packs of operations that one instruction does."""

from screwgraph.compiler.packs.packs import SideBySide, Unit, side_by_side
from screwgraph.compiler.packs.pairing import Pack
from screwgraph.compiler.packs.signs import addends, times

__all__ = ["Pack", "SideBySide", "Unit", "addends", "side_by_side", "times"]
