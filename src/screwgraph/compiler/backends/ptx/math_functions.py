"""Functions that CPUs find in the C library, for doubles, as LLVM assembly: GPUs have none to link.

They serve friction, springs and other laws that are more than sines: series and identities that are good for some
units of the last place, without tables. Of names that begin with "series_", the C library knows nothing.

Series, continued fractions and remainders are loops that a function needs before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import factorial, inf, nan, pi, sqrt
from types import MappingProxyType

from screwgraph.compiler.backends.llvm.sincos import sincos_type
from screwgraph.compiler.backends.ptx.expression import DOUBLE, Lines, Real, emit_polynomial, float_bits

LN2 = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
"""log 2 in two parts; multiples of the first by integers up to 2000 are exact."""

SHIFT = 1.5 * 2.0**52
"""Adding it rounds a number to an integer, which then stands in its low bits."""

LONG = 2.0**28
"""From here on 1 + x^2 is x^2 to all digits."""

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


def _powers_of_e(x: Real) -> tuple[str, Real]:
    """Return the integer k and r of x = k log 2 + r, |r| <= log(2) / 2."""
    shifted = x.times_plus(1.0 / (LN2[0] + LN2[1]), SHIFT)
    k = shifted - SHIFT
    r = (-k).times_plus(LN2[1], (-k).times_plus(LN2[0], x))
    return x.lines.say(f"sub i64 {shifted.bits}, {float_bits(SHIFT)}"), r


def _power_of_two(lines: Lines, k: str) -> Real:
    exponent = lines.say(f"add i64 {k}, 1023")
    return lines.of_bits(lines.say(f"shl i64 {exponent}, 52"))


def _at_most(x: Real, limit: float) -> Real:
    return (x > limit).choose(limit, x)


def _exp(x: Real) -> Real:
    lines = x.lines
    k, r = _powers_of_e((x < -800.0).choose(-800.0, _at_most(x, 800.0)))
    first = lines.say(f"ashr i64 {k}, 1")
    second = lines.say(f"sub i64 {k}, {first}")
    near = emit_polynomial(r, [1.0 / factorial(n) for n in range(14)])
    return near * _power_of_two(lines, first) * _power_of_two(lines, second)


def _expm1(x: Real) -> Real:
    """exp(x) - 1 of |x| < 700."""
    k, r = _powers_of_e(x)
    scale = _power_of_two(x.lines, k)
    near = r.times_plus(r * emit_polynomial(r, [1.0 / factorial(n) for n in range(2, 15)]), r)
    return near.times_plus(scale, scale - 1.0)


def _log(x: Real) -> Real:
    lines = x.lines
    small = x < 2.0**-1022
    bits = small.choose(x * 2.0**54, x).bits
    power = lines.say(f"ashr i64 {lines.say(f'sub i64 {bits}, {float_bits(sqrt(0.5))}')}, 52")
    m = lines.of_bits(lines.say(f"sub i64 {bits}, {lines.say(f'shl i64 {power}, 52')}"))
    k = lines.real(lines.say(f"sitofp i64 {power} to double")) - small.choose(54.0, 0.0)
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    near = s.times_plus(z * emit_polynomial(z, [2.0 / (2 * n + 1) for n in range(1, 12)]), s + s)
    value = k.times_plus(LN2[0], k.times_plus(LN2[1], near))
    value = (x < inf).choose(value, x)
    return x.equals(0.0).choose(-inf, (x < 0.0).choose(nan, value))


def _log1p(x: Real) -> Real:
    u = x + 1.0
    value = u.call("log")
    return (u < inf).choose(value + (x - (u - 1.0)) / u, value)


def _half_tangent(t: Real) -> Real:
    """The tangent of half the angle."""
    return t / (_sqrt(t.times_plus(t, 1.0)) + 1.0)


def _sqrt(x: Real) -> Real:
    return x.call("llvm.sqrt.f64")


def _atan(x: Real) -> Real:
    size = x.size
    steep = size > 1.0
    t = _half_tangent(_half_tangent(steep.choose(1.0 / size, size)))
    z = t * t
    value = t.times_plus(z * emit_polynomial(z, [(-1.0) ** n / (2 * n + 1) for n in range(1, 13)]), t) * 4.0
    return steep.choose(pi / 2 - value, value).signed_as(x)


def _atan2(y: Real, x: Real) -> Real:
    a, b = y.size, x.size
    steep = a > b
    ratio = steep.choose(b, a) / steep.choose(a, b)
    value = a.equals(b).choose(a.equals(0.0).choose(0.0, 1.0), ratio).call("atan")
    value = steep.choose(pi / 2 - value, value)
    return x.is_signed.choose(pi - value, value).signed_as(y)


def _leg(x: Real) -> Real:
    """sqrt(1 - x^2)."""
    return _sqrt((1.0 - x) * (x + 1.0))


def _asin(x: Real) -> Real:
    return x.call("atan2", _leg(x))


def _acos(x: Real) -> Real:
    return _leg(x).call("atan2", x)


def _tan(x: Real) -> Real:
    pair = sincos_type(DOUBLE)
    both = x.lines.say(f"call {pair} @sincos{DOUBLE.tag}(double {x.name})")
    sine, cosine = (x.lines.real(x.lines.say(f"extractvalue {pair} {both}, {i}")) for i in range(2))
    return sine / cosine


def _sinh(x: Real) -> Real:
    size = x.size
    e = _at_most(size, 40.0).call("series_expm1")
    half = (size * 0.5).call("exp")
    return (size > 36.0).choose(half * 0.5 * half, (e + e / (e + 1.0)) * 0.5).signed_as(x)


def _cosh(x: Real) -> Real:
    size = x.size
    e, half = size.call("exp"), (size * 0.5).call("exp")
    return (size > 36.0).choose(half * 0.5 * half, (e + 1.0 / e) * 0.5)


def _tanh(x: Real) -> Real:
    e = (_at_most(x.size, 20.0) * 2.0).call("series_expm1")
    return (e / (e + 2.0)).signed_as(x)


def _asinh(x: Real) -> Real:
    size = x.size
    near = _at_most(size, LONG)
    square = near * near
    value = (near + square / (_sqrt(square + 1.0) + 1.0)).call("series_log1p")
    return (size > LONG).choose(size.call("log") + (LN2[0] + LN2[1]), value).signed_as(x)


def _acosh(x: Real) -> Real:
    t = _at_most(x, LONG) - 1.0
    value = (t + _sqrt(t.times_plus(t, t + t))).call("series_log1p")
    return (x > LONG).choose(x.call("log") + (LN2[0] + LN2[1]), value)


def _atanh(x: Real) -> Real:
    size = x.size
    return (((size + size) / (1.0 - size)).call("series_log1p") * 0.5).signed_as(x)


def _pow(x: Real, y: Real) -> Real:
    size, whole = x.size, y.call("llvm.floor.f64")
    half = (y * 0.5).call("llvm.floor.f64")
    is_whole = whole.equals(y)
    odd = is_whole & ~(half + half).equals(y)
    value = (y * size.call("log")).call("exp")
    value = (size.equals(1.0) & y.equals(y)).choose(1.0, value)
    value = (x.is_signed & odd).choose(-value, value)
    value = ((x < 0.0) & (x > -inf) & ~is_whole & y.equals(y)).choose(nan, value)
    return y.equals(0.0).choose(1.0, x.equals(1.0).choose(1.0, value))


def _multiple(b: Real) -> Real:
    """A multiple of a number that is far from the largest double: what quotients by it twice over do not reach."""
    return (b < 2.0**100).choose(b * 2.0**750, b)


def _fmod(x: Real, y: Real) -> Real:
    a, b = x.size, y.size
    middle = _multiple(b)
    rest = a.call("series_rest", _multiple(middle)).call("series_rest", middle).call("series_rest", b)
    rest = (rest < 0.0).choose(rest + b, rest)
    return y.equals(y).choose(rest, nan).signed_as(x)


def _erf(x: Real) -> Real:
    size = _at_most(x.size, 6.0)
    square = size * size
    e = (-square).call("exp") * (1.0 - size.times_plus(size, -square))
    near = e * size.call("series_erf", square + square) * (2.0 / sqrt(pi))
    far = 1.0 - e / (size.call("series_erfc") * sqrt(pi))
    return (size > 2.0).choose(far, near).signed_as(x)


Formula = Callable[..., Real]

FORMULAS: Mapping[str, tuple[Formula, int]] = MappingProxyType(
    {
        "exp": (_exp, 1),
        "series_expm1": (_expm1, 1),
        "log": (_log, 1),
        "series_log1p": (_log1p, 1),
        "atan": (_atan, 1),
        "atan2": (_atan2, 2),
        "asin": (_asin, 1),
        "acos": (_acos, 1),
        "tan": (_tan, 1),
        "sinh": (_sinh, 1),
        "cosh": (_cosh, 1),
        "tanh": (_tanh, 1),
        "asinh": (_asinh, 1),
        "acosh": (_acosh, 1),
        "atanh": (_atanh, 1),
        "pow": (_pow, 2),
        "fmod": (_fmod, 2),
        "erf": (_erf, 1),
    }
)
"""Each function, and the number of its operands."""

NEEDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "series_log1p": ("log",),
        "atan2": ("atan",),
        "asin": ("atan2",),
        "acos": ("atan2",),
        "sinh": ("exp", "series_expm1"),
        "cosh": ("exp",),
        "tanh": ("series_expm1",),
        "asinh": ("log", "series_log1p"),
        "acosh": ("log", "series_log1p"),
        "atanh": ("series_log1p",),
        "pow": ("exp", "log"),
        "erf": ("exp",),
    }
)
"""What functions call."""


def emit_math_functions(names: Iterable[str]) -> list[str]:
    """Return functions of these names, and those that they call."""
    found: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _text(name)
            waiting += NEEDS.get(name, ())
    return [text for name in sorted(found) for text in (*LOOPS.get(name, ()), found[name])]


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


def _text(name: str) -> str:
    formula, arity = FORMULAS[name]
    lines = Lines()
    value = formula(*(lines.real(f"%x{i}") for i in range(arity)))
    takes = ", ".join(f"double %x{i}" for i in range(arity))
    head = f"define internal double @{name}({takes}) alwaysinline {{"
    return "\n".join([head, *lines.text, f"  ret double {value.name}", "}"])
