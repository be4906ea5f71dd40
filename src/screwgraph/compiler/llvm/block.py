"""The straight-line code of a program on several samples at once."""

from __future__ import annotations

from screwgraph.compiler.llvm.text import Lanes
from screwgraph.tape import Program

FLAGS = "contract nsz arcp"
"""Multiplications and additions may fuse; NaN and infinity keep their meaning."""

ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


def block(program: Program, lanes: Lanes) -> str:
    """Return `@block(in, out)`: numbers i of all samples stand together at `in + i * width`, so at `out`."""
    D, tag, align = lanes.real, lanes.tag, lanes.bytes
    lines = [f"define internal void @block{tag}(ptr noalias %in, ptr noalias %out) {{"]
    values: list[str] = []
    pairs: dict[int, str] = {}
    for i, (operation, *operands) in enumerate(program.instructions):
        name = f"%v{i}"
        if operation == "constant":
            values.append(lanes.number(operands[0]))
            continue
        if operation == "input":
            lines.append(f"  %p{i} = getelementptr {D}, ptr %in, i64 {operands[0]}")
            lines.append(f"  {name} = load {D}, ptr %p{i}, align {align}")
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
                lines.append(f"  %pair{i} = call {{ {D}, {D} }} @sincos{tag}({D} {values[angle]})")
            lines.append(f"  {name} = extractvalue {{ {D}, {D} }} {pairs[angle]}, {('sin', 'cos').index(operation)}")
        values.append(name)
    for i, output in enumerate(program.outputs):
        value = values[output] if isinstance(output, int) else lanes.number(output)
        lines.append(f"  %o{i} = getelementptr {D}, ptr %out, i64 {i}")
        lines.append(f"  store {D} {value}, ptr %o{i}, align {align}")
    return "\n".join([*lines, "  ret void", "}"])
