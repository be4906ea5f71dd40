"""The straight-line code of a program on several samples at once."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler.llvm.each import each
from screwgraph.compiler.llvm.sincos import together
from screwgraph.compiler.llvm.stages import stages
from screwgraph.compiler.llvm.text import Lanes
from screwgraph.tape import Program

FLAGS = "contract nsz arcp"
"""Multiplications and additions may fuse; NaN and infinity keep their meaning."""

ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


def block(program: Program, lanes: Lanes) -> str:
    """Return `@block(in, out)`: numbers i of all samples stand together at `in + i * width`, so at `out`.

    Vectors branch once after each stage of sines, to take the samples one by one where an angle is too large.
    """
    lines = [f"define internal void @block{lanes.tag}(ptr noalias %in, ptr noalias %out) {{"]
    values: list[str] = [""] * len(program.instructions)
    *angles, rest = stages(program)
    for number, stage in enumerate(angles):
        far = _stage(program, stage, lanes, values, lines)
        if far:
            lines += [*_any(far, number, lanes), f"  br i1 %far_{number}, label %each, label %near_{number}, !prof !0"]
            lines.append(f"near_{number}:")
    _stage(program, rest, lanes, values, lines)
    for i, output in enumerate(program.outputs):
        value = values[output] if isinstance(output, int) else lanes.number(output)
        lines.append(f"  %o{i} = getelementptr {lanes.real}, ptr %out, i64 {i}")
        lines.append(f"  store {lanes.real} {value}, ptr %o{i}, align {lanes.bytes}")
    if lanes.width == 1 or not angles:
        return "\n".join([*lines, "  ret void", "}"])
    lines += ["  ret void", "each:", f"  call void @each{lanes.tag}(ptr %in, ptr %out)", "  ret void", "}"]
    return "\n".join([each(program, lanes), *lines])


def _stage(program: Program, stage: Sequence[int], lanes: Lanes, values: list[str], lines: list[str]) -> list[str]:
    """Write the instructions at these places; return the names of the masks that tell which angles are too large."""
    D, tag = lanes.real, lanes.tag
    pair = together(lanes)
    pairs: dict[int, str] = {}
    for i in stage:
        operation, *operands = program.instructions[i]
        name = values[i] = f"%v{i}"
        if operation == "constant":
            values[i] = lanes.number(operands[0])
        elif operation == "input":
            lines.append(f"  %p{i} = getelementptr {D}, ptr %in, i64 {operands[0]}")
            lines.append(f"  {name} = load {D}, ptr %p{i}, align {lanes.bytes}")
        elif operation in ARITHMETIC:
            a, b = (values[o] for o in operands)
            lines.append(f"  {name} = {ARITHMETIC[operation]} {FLAGS} {D} {a}, {b}")
        elif operation == "neg":
            lines.append(f"  {name} = fneg {FLAGS} {D} {values[operands[0]]}")
        elif operation == "inv":
            lines.append(f"  {name} = fdiv {FLAGS} {D} {lanes.number(1.0)}, {values[operands[0]]}")
        else:
            angle = operands[0]
            if angle not in pairs:
                pairs[angle] = f"%pair{i}"
                lines.append(f"  %pair{i} = call {pair} @sincos{tag}({D} {values[angle]})")
            lines.append(f"  {name} = extractvalue {pair} {pairs[angle]}, {('sin', 'cos').index(operation)}")
    if lanes.width == 1:
        return []
    lines += [f"  %far{p[5:]} = extractvalue {pair} {p}, 2" for p in pairs.values()]
    return [f"%far{p[5:]}" for p in pairs.values()]


def _any(masks: Sequence[str], number: int, lanes: Lanes) -> list[str]:
    """Whether an angle of any sample is too large."""
    B, whole = lanes.boolean, masks[0]
    lines = []
    for i, mask in enumerate(masks[1:]):
        lines.append(f"  %any_{number}_{i} = or {B} {whole}, {mask}")
        whole = f"%any_{number}_{i}"
    return [*lines, f"  %far_{number} = call i1 @llvm.vector.reduce.or.v{lanes.width}i1({B} {whole})"]
