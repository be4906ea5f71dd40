"""Products that go into one sum become one instruction with it.

It is chosen here, not by LLVM, whose choice depends on its level: code that is quickly made and code that is fast give
the same digits. On processors without such an instruction, both round twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from screwgraph.compiler.backends.llvm.operations import Line
from screwgraph.compiler.passes.angle_reduction import find_angle_sums
from screwgraph.tape import LEAVES, Program


def _emit_fused(line: Line, a: str, b: str, c: str) -> list[str]:
    D = line.lanes.real
    return [f"  {line.name} = call {D} {line.lanes.intrinsic('fmuladd')}({D} {a}, {D} {b}, {D} {c})"]


def _less(line: Line, a: str, b: str, c: str) -> list[str]:
    return [f"  {line.name}n = fneg {line.lanes.real} {c}", *_emit_fused(line, a, b, f"{line.name}n")]


def _emit_negated_fused(line: Line, a: str, b: str, c: str) -> list[str]:
    return [f"  {line.name}n = fneg {line.lanes.real} {a}", *_emit_fused(line, f"{line.name}n", b, c)]


FUSED: Mapping[str, Callable[..., list[str]]] = MappingProxyType(
    {"times_add": _emit_fused, "times_sub": _less, "sub_times": _emit_negated_fused}
)
"""a b + c, a b - c and c - a b as LLVM assembly."""


def fuse_multiply_add(program: Program) -> Program:
    """Return a program in which products that only one sum or difference needs are part of it; angles stay sums."""
    code = program.instructions
    uses = [0] * len(code)
    for operation, *operands in code:
        if operation not in LEAVES:
            for o in operands:
                uses[o] += 1
    for o in program.outputs:
        if isinstance(o, int):
            uses[o] += 1
    angles = find_angle_sums(program)
    gone, written = set[int](), dict[int, tuple[Any, ...]]()
    for i, (operation, *operands) in enumerate(code):
        if operation not in ("add", "sub") or i in angles:
            continue
        for k, o in enumerate(operands):
            if code[o][0] == "mul" and uses[o] == 1:
                name = "times_add" if operation == "add" else "sub_times" if k else "times_sub"
                written[i] = (name, *code[o][1:], operands[1 - k])
                gone.add(o)
                break
    place, kept = [0] * len(code), list[tuple[Any, ...]]()
    for i, instruction in enumerate(code):
        if i not in gone:
            place[i] = len(kept)
            operation, *operands = written.get(i, instruction)
            kept.append(instruction if operation in LEAVES else (operation, *[place[o] for o in operands]))
    outputs = tuple(place[o] if isinstance(o, int) else o for o in program.outputs)
    return Program(program.input_names, tuple(kept), outputs)
