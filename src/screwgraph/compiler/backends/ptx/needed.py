"""What the code of a kernel calls: intrinsics, sines, and functions that CPUs find in the C library."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.operations import LLVM, Intrinsic, Library
from screwgraph.compiler.backends.llvm.sincos import sincos
from screwgraph.compiler.backends.llvm.sines import several, sines_apart
from screwgraph.compiler.backends.llvm.stages import SINES
from screwgraph.compiler.backends.llvm.text import Lanes, declarations
from screwgraph.compiler.backends.llvm.wrap import wrapped
from screwgraph.compiler.backends.ptx.expression import DOUBLE
from screwgraph.compiler.backends.ptx.functions import function_texts
from screwgraph.tape.rolled import Code, Rolled, Straight

DOUBLES = ("sqrt", "floor", "fabs", "trunc")
"""Intrinsics of doubles that functions call."""


def needed(code: Code, lanes: Lanes) -> list[str]:
    """Return declarations and functions, all of which the kernel takes in: GPUs have no library to link."""
    programs = [code] if not isinstance(code, Rolled) else [s.program for s in code.stages if isinstance(s, Straight)]
    names = dict.fromkeys(i[0] for program in programs for i in program.instructions)
    forms = [LLVM[name] for name in names if name in LLVM]
    functions = [form.function for form in forms if isinstance(form, Library)]
    called = [(lanes, form.function) for form in forms if isinstance(form, Intrinsic)]
    called += [(DOUBLE, function) for function in DOUBLES if functions]
    parts = [declarations(kind) for kind in dict.fromkeys((lanes, DOUBLE))]
    parts += [f"declare {kind.real} {kind.intrinsic(f)}({kind.real})" for kind, f in dict.fromkeys(called)]
    with_sines = any(name in SINES for name in names)
    kinds = dict.fromkeys([lanes] * with_sines + [DOUBLE] * ("tan" in names))
    parts += [sincos(kind, library=False) for kind in kinds]
    if with_sines:
        together = several(lanes.bits)
        parts += [wrapped(lanes, branches=False), sines_apart(together, f"sines{together.tag}", "alwaysinline")]
    return [*parts, *function_texts(functions)]
