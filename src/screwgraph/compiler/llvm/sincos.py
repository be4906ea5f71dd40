"""Sine and cosine of a vector of angles at once, inline.

Reduction by pi/2 in three parts (Cody & Waite, 1980) for |x| <= 1e5, then minimax polynomials on
[-pi/4, pi/4]; larger angles, NaN and infinity go to the C library, one by one.
"""

from __future__ import annotations

import struct

from screwgraph.compiler.llvm.text import boolean, integer, intrinsic, number, real, whole

LARGEST = 1e5
LARGEST_BITS = struct.unpack(">q", struct.pack(">d", LARGEST))[0]
ROUND = 6755399441055744.0
"""1.5 * 2^52: adding it rounds a double to an integer, which then stands in its low bits."""
HALF_PI = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def sincos(width: int) -> str:
    """Return the function `@sincos<width>(x) -> {sin, cos}` and what it needs, as LLVM assembly."""
    return "\n".join([_slow(width), _fast(width)])


def _fast(width: int) -> str:
    D, N, B = real(width), integer(width), boolean(width)
    lines = [f"define internal {{ {D}, {D} }} @sincos{width}({D} %x) alwaysinline {{", "entry:"]

    def emit(name: str, text: str) -> str:
        lines.append(f"  %{name} = {text}")
        return f"%{name}"

    def fma(name: str, a: str, b: str, c: str) -> str:
        return emit(name, f"call {D} {intrinsic('fma', width)}({D} {a}, {D} {b}, {D} {c})")

    def polynomial(name: str, z: str, coefficients: tuple[float, ...]) -> str:
        value = number(coefficients[-1], width)
        for i, c in reversed(list(enumerate(coefficients[:-1]))):
            value = fma(f"{name}{i}", z, value, number(c, width))
        return value

    memory = emit("memory", f"alloca [3 x {D}], align 64")
    # Compared as integers: comparing a NaN as a number would raise a floating-point flag.
    size = emit("size", f"and {N} {emit('bits', f'bitcast {D} %x to {N}')}, {whole(2**63 - 1, width)}")
    large = emit("large", f"icmp ugt {N} {size}, {whole(LARGEST_BITS, width)}")
    near = emit("near", f"select {B} {large}, {D} {number(0.0, width)}, {D} %x")
    shifted = fma("shifted", near, number(0.63661977236758134308, width), number(ROUND, width))
    turns = emit("turns", f"fsub {D} {shifted}, {number(ROUND, width)}")
    minus = emit("minus", f"fneg {D} {turns}")
    r = near
    for i, part in enumerate(HALF_PI):
        r = fma(f"r{i}", minus, number(part, width), r)
    z = emit("z", f"fmul {D} {r}, {r}")
    sine = fma("sine", emit("zr", f"fmul {D} {z}, {r}"), polynomial("s", z, SINE), r)
    half = emit("half", f"fmul {D} {z}, {number(0.5, width)}")
    head = emit("head", f"fsub {D} {number(1.0, width)}, {half}")
    lost = emit("lost", f"fsub {D} {emit('back', f'fsub {D} {number(1.0, width)}, {head}')}, {half}")
    tail = fma("tail", emit("zz", f"fmul {D} {z}, {z}"), polynomial("c", z, COSINE), lost)
    cosine = emit("cosine", f"fadd {D} {head}, {tail}")
    quadrant = emit("quadrant", f"bitcast {D} {shifted} to {N}")
    odd = emit("odd", f"and {N} {quadrant}, {whole(1, width)}")
    swap = emit("swap", f"icmp ne {N} {odd}, {whole(0, width)}")
    results = []
    for name, first, second, turn in (("sin", cosine, sine, 0), ("cos", sine, cosine, 1)):
        value = emit(f"{name}v", f"select {B} {swap}, {D} {first}, {D} {second}")
        place = emit(f"{name}q", f"add {N} {quadrant}, {whole(turn, width)}")
        half_turn = emit(f"{name}h", f"and {N} {place}, {whole(2, width)}")
        sign = emit(f"{name}s", f"shl {N} {half_turn}, {whole(62, width)}")
        bits = emit(f"{name}b", f"xor {N} {emit(f'{name}i', f'bitcast {D} {value} to {N}')}, {sign}")
        results.append(emit(f"{name}r", f"bitcast {N} {bits} to {D}"))
    if width > 1:
        large = emit("any", f"call i1 @llvm.vector.reduce.or.v{width}i1({B} {large})")
    lines.append(f"  br i1 {large}, label %slow, label %done, !prof !0")
    lines.append("slow:")
    lines.append(f"  store {D} %x, ptr {memory}, align 64")
    lines.append(f"  call void @sincos_slow{width}(ptr {memory})")
    at = [emit(f"at{i}", f"getelementptr {D}, ptr {memory}, i64 {i}") for i in (1, 2)]
    slow = [emit(f"slow{i}", f"load {D}, ptr {p}, align {8 * width}") for i, p in enumerate(at)]
    lines.append("  br label %done")
    lines.append("done:")
    chosen = [emit(f"out{i}", f"phi {D} [{results[i]}, %entry], [{slow[i]}, %slow]") for i in range(2)]
    pair = emit("pair0", f"insertvalue {{ {D}, {D} }} poison, {D} {chosen[0]}, 0")
    pair = emit("pair1", f"insertvalue {{ {D}, {D} }} {pair}, {D} {chosen[1]}, 1")
    lines += [f"  ret {{ {D}, {D} }} {pair}", "}"]
    return "\n".join(lines)


def _slow(width: int) -> str:
    """Call the C library for each lane of memory[0]; sines to memory[1], cosines to memory[2]."""
    return f"""
define internal void @sincos_slow{width}(ptr %memory) noinline cold {{
entry:
  br label %lane
lane:
  %i = phi i64 [0, %entry], [%next, %lane]
  %from = getelementptr double, ptr %memory, i64 %i
  %x = load double, ptr %from, align 8
  %s = call double @sin(double %x)
  %c = call double @cos(double %x)
  %j = add i64 %i, {width}
  %k = add i64 %i, {2 * width}
  %to_s = getelementptr double, ptr %memory, i64 %j
  %to_c = getelementptr double, ptr %memory, i64 %k
  store double %s, ptr %to_s, align 8
  store double %c, ptr %to_c, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, {width}
  br i1 %more, label %lane, label %end
end:
  ret void
}}"""
