"""Equal limbs side by side: from a program to packs of operations that one instruction does."""

from screwgraph.compiler.passes.slp.limbs import MOST as MOST_LIMBS
from screwgraph.compiler.passes.slp.pack_schedule import PackedProgram, Unit, addend_signs, multiply_signs, pack_limbs
from screwgraph.compiler.passes.slp.pack_selection import Pack

__all__ = ["MOST_LIMBS", "Pack", "PackedProgram", "Unit", "addend_signs", "multiply_signs", "pack_limbs"]
