"""Each operation as LLVM assembly: instructions where there are any, else calls of the C library, lane by lane.

Sine and cosine of an angle are made together (`sincos.py`), so they are written where programs are
(`instruction_writer.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from screwgraph.compiler.backends.llvm.ir_text import Lanes


@dataclass(frozen=True)
class Line:
    """The value under construction: its name, and the numbers that it is made of."""

    name: str
    lanes: Lanes

    def arithmetic(self, instruction: str, *operands: str) -> list[str]:
        """Return a floating-point instruction."""
        return [f"  {self.name} = {instruction} {self.lanes.real} {', '.join(operands)}"]

    def test(self, tag: str, comparison: str, a: str, b: str) -> str:
        """Return a comparison, whose name ends in `tag`."""
        return f"  {self.name}{tag} = fcmp {comparison} {self.lanes.real} {a}, {b}"

    def choice(self, tag: str, yes: str, no: str, target: str = "") -> str:
        """Return a choice by the comparison of that tag."""
        D = self.lanes.real
        return f"  {self.name}{target} = select {self.lanes.boolean} {self.name}{tag}, {D} {yes}, {D} {no}"

    @property
    def zero(self) -> str:
        """0 in every lane."""
        return self.lanes.number(0.0)

    @property
    def one(self) -> str:
        """1 in every lane."""
        return self.lanes.number(1.0)


Form = Callable[..., list[str]]
"""From a line and its operands to assembly."""


@dataclass(frozen=True)
class Arithmetic:
    """One instruction of the processor."""

    instruction: str

    def __call__(self, line: Line, *operands: str) -> list[str]:
        return line.arithmetic(self.instruction, *operands)


@dataclass(frozen=True)
class Intrinsic:
    """A function that LLVM knows."""

    function: str

    def __call__(self, line: Line, operand: str) -> list[str]:
        D, function = line.lanes.real, line.lanes.intrinsic(self.function)
        return [f"  {line.name} = call {D} {function}({D} {operand})"]


@dataclass(frozen=True)
class Comparison:
    """1 where a comparison holds, else 0."""

    comparison: str

    def __call__(self, line: Line, a: str, b: str) -> list[str]:
        return [line.test("t", self.comparison, a, b), line.choice("t", line.one, line.zero)]


@dataclass(frozen=True)
class Logic:
    """1 where two truths are combined to another, else 0."""

    instruction: str

    def __call__(self, line: Line, a: str, b: str) -> list[str]:
        tests = [line.test("s", "une", a, line.zero), line.test("u", "une", b, line.zero)]
        both = f"  {line.name}t = {self.instruction} {line.lanes.boolean} {line.name}s, {line.name}u"
        return [*tests, both, line.choice("t", line.one, line.zero)]


@dataclass(frozen=True)
class Extreme:
    """The operand that compares better; NaN goes through."""

    comparison: str

    def __call__(self, line: Line, a: str, b: str) -> list[str]:
        pick = [line.test("t", self.comparison, a, b), line.choice("t", a, b, "p")]
        return [*pick, line.test("n", "uno", a, a), line.choice("n", a, f"{line.name}p")]


@dataclass(frozen=True)
class Library:
    """A function of the C library, called lane by lane, in double."""

    function: str

    def __call__(self, line: Line, *operands: str) -> list[str]:
        return _emit_calls(line.name, self.function, operands, line.lanes)


def _inverse(line: Line, a: str) -> list[str]:
    return line.arithmetic("fdiv", line.one, a)


def _not(line: Line, a: str) -> list[str]:
    return [line.test("t", "oeq", a, line.zero), line.choice("t", line.one, line.zero)]


def _where(line: Line, condition: str, a: str) -> list[str]:
    return [line.test("t", "une", condition, line.zero), line.choice("t", a, line.zero)]


def _guard(line: Line, a: str, b: str) -> list[str]:
    name, boolean = line.name, line.lanes.boolean
    below = f"  {name}m = fneg {line.lanes.real} {b}"
    tests = [line.test("s", "ogt", a, b), below, line.test("u", "olt", a, f"{name}m")]
    return [
        *tests,
        f"  {name}t = or {boolean} {name}s, {name}u",
        line.choice("t", a, line.lanes.number(math.nan)),
    ]


def _sign(line: Line, a: str) -> list[str]:
    up = [line.test("t", "ogt", a, line.zero), line.choice("t", line.one, a, "p")]
    return [*up, line.test("s", "olt", a, line.zero), line.choice("s", line.lanes.number(-1.0), f"{line.name}p")]


def emit_larger_size(line: Line, a: str, b: str) -> list[str]:
    """Return the larger of numbers without sign: in the order of their bits as integers, NaN is the largest."""
    name, (D, N) = line.name, (line.lanes.real, line.lanes.integer)
    bits = [f"  {name}{tag} = bitcast {D} {value} to {N}" for tag, value in (("a", a), ("b", b))]
    return [
        *bits,
        f"  {name}t = icmp sgt {N} {name}a, {name}b",
        f"  {name}p = select {line.lanes.boolean} {name}t, {N} {name}a, {N} {name}b",
        f"  {name} = bitcast {N} {name}p to {D}",
    ]


EXTREMES = ("max", "min")
"""Operations of two operands that may change places."""
TOGETHER = ("sin", "cos")
"""Operations of one call, by their place in its result."""
LLVM: Mapping[str, Form] = MappingProxyType(
    {
        "add": Arithmetic("fadd"),
        "sub": Arithmetic("fsub"),
        "neg": Arithmetic("fneg"),
        "mul": Arithmetic("fmul"),
        "div": Arithmetic("fdiv"),
        "inv": _inverse,
        "sqrt": Intrinsic("sqrt"),
        "abs": Intrinsic("fabs"),
        "floor": Intrinsic("floor"),
        "ceil": Intrinsic("ceil"),
        "lt": Comparison("olt"),
        "le": Comparison("ole"),
        "eq": Comparison("oeq"),
        "ne": Comparison("une"),
        "min": Extreme("olt"),
        "max": Extreme("ogt"),
        "and": Logic("and"),
        "or": Logic("or"),
        "not": _not,
        "where": _where,
        "guard": _guard,
        "sign": _sign,
        **{
            name: Library(name)
            for name in (
                *("exp", "log", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
                *("asinh", "acosh", "atanh", "erf", "atan2", "pow", "fmod"),
            )
        },
    }
)


def function_declarations(instructions: Iterable[tuple[Any, ...]], kinds: Sequence[Lanes]) -> list[str]:
    """Declare what the functions of a program call."""
    arity = {i[0]: len(i) - 1 for i in instructions}
    lines = []
    for name in sorted(arity):
        form = LLVM.get(name)
        if isinstance(form, Library):
            lines.append(f"declare double @{form.function}({', '.join(['double'] * arity[name])})")
        elif isinstance(form, Intrinsic):
            functions = (f"{lanes.real} {lanes.intrinsic(form.function)}({lanes.real})" for lanes in kinds)
            lines += [f"declare {function}" for function in functions]
    return lines


def _emit_calls(name: str, function: str, operands: Sequence[str], lanes: Lanes) -> list[str]:
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
