"""Functions beyond arithmetic as LLVM assembly: instructions where there are any, else calls of the C library."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler.backends.llvm.text import Lanes
from screwgraph.tape import Program

INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "ceil": "ceil"}
LIBRARY = frozenset(
    {"exp", "log", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf"}
    | {"atan2", "pow", "fmod"}
)
"""Called lane by lane, in double."""
COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}


def function_declarations(program: Program, kinds: Sequence[Lanes]) -> list[str]:
    """Declare what the functions of a program call."""
    arity = {i[0]: len(i) - 1 for i in program.instructions}
    used = sorted(arity)
    lines = [f"declare double @{f}({', '.join(['double'] * arity[f])})" for f in used if f in LIBRARY]
    for lanes in kinds:
        D = lanes.real
        lines += [f"declare {D} {lanes.intrinsic(INTRINSICS[f])}({D})" for f in used if f in INTRINSICS]
    return lines


def instruction(name: str, operation: str, operands: Sequence[str], lanes: Lanes) -> list[str]:
    """Return the lines that compute `name`; NaN goes through all but comparisons."""
    D, B, zero, one = lanes.real, lanes.boolean, lanes.number(0.0), lanes.number(1.0)
    a, b = operands[0], operands[-1]
    if operation in INTRINSICS:
        return [f"  {name} = call {D} {lanes.intrinsic(INTRINSICS[operation])}({D} {a})"]
    if operation in LIBRARY:
        return _called(name, operation, operands, lanes)

    def test(tag: str, comparison: str, x: str, y: str) -> str:
        return f"  {name}{tag} = fcmp {comparison} {D} {x}, {y}"

    def choose(target: str, tag: str, yes: str, no: str) -> str:
        return f"  {target} = select {B} {name}{tag}, {D} {yes}, {D} {no}"

    if operation in COMPARISONS:
        return [test("t", COMPARISONS[operation], a, b), choose(name, "t", one, zero)]
    if operation in ("min", "max"):
        better = "olt" if operation == "min" else "ogt"
        pick = [test("t", better, a, b), choose(f"{name}p", "t", a, b)]
        return [*pick, test("n", "uno", a, a), choose(name, "n", a, f"{name}p")]
    if operation == "not":
        return [test("t", "oeq", a, zero), choose(name, "t", one, zero)]
    if operation in ("and", "or"):
        both = [test("s", "une", a, zero), test("u", "une", b, zero), f"  {name}t = {operation} {B} {name}s, {name}u"]
        return [*both, choose(name, "t", one, zero)]
    if operation == "where":
        return [test("t", "une", a, zero), choose(name, "t", b, zero)]
    if operation == "sign":
        up = [test("t", "ogt", a, zero), choose(f"{name}p", "t", one, a)]
        return [*up, test("s", "olt", a, zero), choose(name, "s", lanes.number(-1.0), f"{name}p")]
    raise ValueError(f"no code for {operation!r}")


def _called(name: str, function: str, operands: Sequence[str], lanes: Lanes) -> list[str]:
    """Call a function of the C library for each lane."""
    lines, R = [], lanes.scalar
    collected = "poison"
    for lane in range(lanes.width):
        arguments = []
        for k, operand in enumerate(operands):
            value = operand
            if lanes.width > 1:
                value = f"{name}x{lane}_{k}"
                lines.append(f"  {value} = extractelement {lanes.real} {operand}, i32 {lane}")
            if lanes.bits == 32:
                lines.append(f"  {name}w{lane}_{k} = fpext float {value} to double")
                value = f"{name}w{lane}_{k}"
            arguments.append(f"double {value}")
        result = name if lanes.width == 1 and lanes.bits == 64 else f"{name}r{lane}"
        lines.append(f"  {result} = call double @{function}({', '.join(arguments)})")
        if lanes.bits == 32:
            narrow = name if lanes.width == 1 else f"{name}n{lane}"
            lines.append(f"  {narrow} = fptrunc double {result} to float")
            result = narrow
        if lanes.width > 1:
            target = name if lane + 1 == lanes.width else f"{name}i{lane}"
            lines.append(f"  {target} = insertelement {lanes.real} {collected}, {R} {result}, i32 {lane}")
            collected = target
    return lines
