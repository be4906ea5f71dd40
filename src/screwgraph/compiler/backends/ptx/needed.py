"""What the code of a kernel calls: intrinsics, sines, and functions that CPUs find in the C library."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.operations import LLVM, Library, function_declarations
from screwgraph.compiler.backends.llvm.sincos import sincos
from screwgraph.compiler.backends.llvm.sines import several, sines_apart
from screwgraph.compiler.backends.llvm.stages import SINES
from screwgraph.compiler.backends.llvm.text import Lanes, declarations
from screwgraph.compiler.backends.llvm.wrap import wrapped
from screwgraph.tape.rolled import Code, Rolled, Straight


def needed(code: Code, lanes: Lanes) -> list[str]:
    """Return declarations and functions, all of which the kernel takes in: GPUs have no library to link."""
    programs = [code]
    if isinstance(code, Rolled):
        programs = [stage.program for stage in code.stages if isinstance(stage, Straight)]
    instructions = [i for program in programs for i in program.instructions]
    functions = {i[0] for i in instructions if isinstance(LLVM.get(i[0]), Library)}
    parts = [declarations(lanes), *function_declarations((i for i in instructions if i[0] not in functions), [lanes])]
    if any(i[0] in SINES for i in instructions):
        together = several(lanes.bits)
        parts += [sincos(lanes, library=False), wrapped(lanes, branches=False)]
        parts.append(sines_apart(together, f"sines{together.tag}", "alwaysinline"))
    return parts
