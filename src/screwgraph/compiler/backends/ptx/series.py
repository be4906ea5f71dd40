"""Loops that functions of the C library need: series, continued fractions, remainders, as LLVM assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

REST = """define internal double @series_rest(double %a, double %b) alwaysinline {
entry:
  br label %test
test:
  %r = phi double [%a, %entry], [%next, %body]
  %size = call double @llvm.fabs.f64(double %r)
  %more = fcmp oge double %size, %b
  br i1 %more, label %body, label %done
body:
  %quotient = fdiv double %r, %b
  %whole = call double @llvm.trunc.f64(double %quotient)
  %minus = fneg double %whole
  %next = call double @llvm.fma.f64(double %minus, double %b, double %r)
  br label %test
done:
  ret double %r
}"""
"""What is left of a when multiples of b are taken off, exactly, with any sign; a quotient's 53 bits at a time."""


def _emit_repeat(name: str, arguments: str, lines: Sequence[str], result: str) -> str:
    """Return a function that repeats lines while `%goes`, once at least."""
    return "\n".join(
        [
            f"define internal double @{name}({arguments}) alwaysinline {{",
            "entry:",
            "  br label %test",
            "test:",
            *(f"  {line}" for line in lines),
            "  br i1 %goes, label %test, label %done",
            "done:",
            f"  ret double {result}",
            "}",
        ]
    )


ERF = _emit_repeat(
    "series_erf",
    "double %x, double %twice",
    (
        "%sum = phi double [%x, %entry], [%more, %test]",
        "%term = phi double [%x, %entry], [%next, %test]",
        "%odd = phi double [3.0, %entry], [%further, %test]",
        "%ratio = fdiv double %twice, %odd",
        "%next = fmul double %term, %ratio",
        "%more = fadd double %sum, %next",
        "%further = fadd double %odd, 2.0",
        "%goes = fcmp olt double %odd, 81.0",
    ),
    "%more",
)
"""x + 2 x^3 / 3 + 4 x^5 / (3 5) + ..., from x and 2 x^2, x <= 2: erf(x) exp(x^2) sqrt(pi) / 2."""
ERFC = _emit_repeat(
    "series_erfc",
    "double %x",
    (
        "%fraction = phi double [%x, %entry], [%more, %test]",
        "%half = phi double [32.0, %entry], [%less, %test]",
        "%over = fdiv double %half, %fraction",
        "%more = fadd double %x, %over",
        "%less = fsub double %half, 0.5",
        "%goes = fcmp ogt double %less, 0.25",
    ),
    "%more",
)
"""x + (1/2) / (x + 1 / (x + (3/2) / (x + ...))), x >= 2: exp(-x^2) / (erfc(x) sqrt(pi))."""

LOOPS: Mapping[str, tuple[str, ...]] = MappingProxyType({"fmod": (REST,), "erf": (ERF, ERFC)})
"""The loops that a function needs before it."""
