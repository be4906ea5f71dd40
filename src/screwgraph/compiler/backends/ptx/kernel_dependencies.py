"""What the code of a kernel calls: intrinsics, sines, and functions that CPUs find in the C library."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.angle_reduction import emit_angle_reduction
from screwgraph.compiler.backends.llvm.ir_text import Lanes, emit_intrinsics
from screwgraph.compiler.backends.llvm.operations import LLVM, Intrinsic, Library
from screwgraph.compiler.backends.llvm.sincos import emit_sincos
from screwgraph.compiler.backends.llvm.sine_scheduling import SINES
from screwgraph.compiler.backends.llvm.vector_sines import emit_scalar_sines, sines_per_vector
from screwgraph.compiler.backends.ptx.expression import DOUBLE
from screwgraph.compiler.backends.ptx.math_functions import emit_math_functions
from screwgraph.tape.rolled import Code, Rolled, StraightLine

DOUBLES = ("sqrt", "floor", "fabs", "trunc")
"""Intrinsics of doubles that functions call."""


def emit_dependencies(code: Code, lanes: Lanes) -> list[str]:
    """Return declarations and functions, all of which the kernel takes in: GPUs have no library to link."""
    programs = (
        [code] if not isinstance(code, Rolled) else [s.program for s in code.stages if isinstance(s, StraightLine)]
    )
    names = dict.fromkeys(i[0] for program in programs for i in program.instructions)
    forms = [LLVM[name] for name in names if name in LLVM]
    functions = [form.function for form in forms if isinstance(form, Library)]
    called = [(lanes, form.function) for form in forms if isinstance(form, Intrinsic)]
    called += [(DOUBLE, function) for function in DOUBLES if functions]
    parts = [emit_intrinsics(kind) for kind in dict.fromkeys((lanes, DOUBLE))]
    parts += [f"declare {kind.real} {kind.intrinsic(f)}({kind.real})" for kind, f in dict.fromkeys(called)]
    with_sines = any(name in SINES for name in names)
    kinds = dict.fromkeys([lanes] * with_sines + [DOUBLE] * ("tan" in names))
    parts += [emit_sincos(kind, library=False) for kind in kinds]
    if with_sines:
        together = sines_per_vector(lanes.bits)
        parts += [
            emit_angle_reduction(lanes, branches=False),
            emit_scalar_sines(together, f"sines{together.tag}", "alwaysinline"),
        ]
    return [*parts, *emit_math_functions(functions)]
