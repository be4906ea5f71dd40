"""Sine and cosine of a vector of angles at once, inline.

Reduction by pi/2 in three parts (Cody & Waite, 1980) for |x| <= 1e5 (`LARGE`), then minimax polynomials on
[-pi/4, pi/4]; larger angles, NaN and infinity go to the C library. For one number that is a branch; of vectors the
caller asks before whether an angle is large, of many at once, and computes such samples one by one.

Where there is no C library, on GPUs, the same reduction goes on to `FARTHEST`; beyond, the answer is NaN.
"""

from __future__ import annotations

from math import nan

from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.sincos_constants import SINCOS, TWO_OVER_PI
from screwgraph.compiler.passes.angle_reduction import LARGE

FARTHEST = {64: 2.0**50, 32: 2.0**21}
"""Angles (rad) from which on neighbouring numbers are 1/4 rad apart, by their size in bits.

Up to there, multiples of pi/2 are counted without error, and parts of it that are fused with their product lose less
than rounding does.
"""


def emit_sincos(lanes: Lanes, *, library: bool = True) -> str:
    """Return `@sincos(x)`, which gives {sin, cos}, and what it needs, as LLVM assembly. No angle of vectors is large.

    Polynomials go in pairs of terms (Estrin, 1960), since processors wait for long chains of operations. Without a
    `library`, of one number, there is no branch.
    """
    D, N, B = lanes.real, lanes.integer, lanes.boolean
    number, whole, tag, bits = lanes.number, lanes.whole, lanes.tag, lanes.bits
    constants, kind = SINCOS[bits], sincos_type(lanes)
    lines = [f"define internal {kind} @sincos{tag}({D} %x) alwaysinline {{", "entry:"]
    branches = library and lanes.width == 1
    if branches:
        lines += [*emit_large_test(lanes), "  br i1 %large, label %slow, label %near, !prof !0", "near:"]

    def emit(name: str, text: str) -> str:
        lines.append(f"  %{name} = {text}")
        return f"%{name}"

    def fma(name: str, a: str, b: str, c: str) -> str:
        return emit(name, f"call {D} {lanes.intrinsic('fma')}({D} {a}, {D} {b}, {D} {c})")

    def polynomial(name: str, coefficients: tuple[float, ...]) -> str:
        pairs = [coefficients[i : i + 2] for i in range(0, len(coefficients), 2)]
        terms = [
            fma(f"{name}{i}", "%z", number(p[1]), number(p[0])) if p[1:] else number(*p) for i, p in enumerate(pairs)
        ]
        value = terms.pop()
        while terms:
            value = fma(f"{name}_{len(terms)}", "%zz", value, terms.pop())
        return value

    shifted = fma("shifted", "%x", number(TWO_OVER_PI), number(constants.round))
    turns = emit("turns", f"fsub {D} {shifted}, {number(constants.round)}")
    minus = emit("minus", f"fneg {D} {turns}")
    r = "%x"
    for i, part in enumerate(constants.half_pi):
        r = fma(f"r{i}", minus, number(part), r)
    z = emit("z", f"fmul {D} {r}, {r}")
    emit("zz", f"fmul {D} {z}, {z}")
    sine = fma("sine", emit("zr", f"fmul {D} {z}, {r}"), polynomial("s", constants.sine), r)
    cosine = polynomial("c", (1.0, -0.5, *constants.cosine))
    quadrant = emit("quadrant", f"bitcast {D} {shifted} to {N}")
    odd = emit("odd", f"and {N} {quadrant}, {whole(1)}")
    swap = emit("swap", f"icmp ne {N} {odd}, {whole(0)}")
    results = []
    for name, first, second, turn in (("sin", cosine, sine, 0), ("cos", sine, cosine, 1)):
        value = emit(f"{name}v", f"select {B} {swap}, {D} {first}, {D} {second}")
        place = emit(f"{name}q", f"add {N} {quadrant}, {whole(turn)}")
        half_turn = emit(f"{name}h", f"and {N} {place}, {whole(2)}")
        sign = emit(f"{name}s", f"shl {N} {half_turn}, {whole(bits - 2)}")
        turned = emit(f"{name}b", f"xor {N} {emit(f'{name}i', f'bitcast {D} {value} to {N}')}, {sign}")
        results.append(emit(f"{name}r", f"bitcast {N} {turned} to {D}"))
    if not library:
        lines += emit_large_test(lanes, FARTHEST[bits])
        results = [emit(f"known{i}", f"select {B} %large, {D} {number(nan)}, {D} {results[i]}") for i in range(2)]
    if branches:
        lines += ["  br label %done", "slow:", *_library(lanes), "  br label %done", "done:"]
        slow = ("%slow_sin", "%slow_cos")
        results = [emit(f"out{i}", f"phi {D} [{results[i]}, %near], [{slow[i]}, %slow]") for i in range(2)]
    answer = "poison"
    for i, result in enumerate(results):
        answer = emit(f"answer{i}", f"insertvalue {kind} {answer}, {D} {result}, {i}")
    return "\n".join([*lines, f"  ret {kind} {answer}", "}"])


def emit_large_test(lanes: Lanes, limit: float = LARGE) -> list[str]:
    """Return the lines of `%large`: whether `%x` is an angle beyond a limit (rad), infinite or NaN."""
    compared = f"  %large = icmp sgt {lanes.integer} %size, {lanes.as_whole(limit)}"
    return [*lanes.magnitude("%size", "%x"), compared]


def sincos_type(lanes: Lanes) -> str:
    """Return the type of what `@sincos` gives."""
    return f"{{ {lanes.real}, {lanes.real} }}"


def _library(lanes: Lanes) -> list[str]:
    """Call the C library, in double, for one number."""
    if lanes.bits == 64:
        return [f"  %slow_{f} = call double @{f}(double %x)" for f in ("sin", "cos")]
    lines = ["  %wide = fpext float %x to double"]
    for f in ("sin", "cos"):
        lines.append(f"  %wide_{f} = call double @{f}(double %wide)")
        lines.append(f"  %slow_{f} = fptrunc double %wide_{f} to float")
    return lines
