"""Code with loops as LLVM assembly."""

from screwgraph.compiler.backends.llvm.routine.parts import (
    PartsPrinter,
    emit_routine,
    has_wide_sines,
    print_routine,
    widest_vector,
)

__all__ = ["PartsPrinter", "emit_routine", "has_wide_sines", "print_routine", "widest_vector"]
