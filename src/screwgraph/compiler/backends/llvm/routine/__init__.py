"""Code with loops as LLVM assembly: a function around functions of straight-line code."""

from screwgraph.compiler.backends.llvm.routine.parts import PartsPrinter
from screwgraph.compiler.backends.llvm.routine.routine_block import (
    emit_routine,
    has_wide_sines,
    print_routine,
    widest_vector,
)

__all__ = ["PartsPrinter", "emit_routine", "has_wide_sines", "print_routine", "widest_vector"]
