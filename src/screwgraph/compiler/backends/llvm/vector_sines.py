"""Sines and cosines of several angles of one sample, in one vector: they take as long as one."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.angle_reduction import emit_angle_reduction
from screwgraph.compiler.backends.llvm.ir_text import Lanes, emit_intrinsics
from screwgraph.compiler.backends.llvm.sincos import emit_sincos, sincos_type


def sines_per_vector(bits: int) -> Lanes:
    """Return how many angles go together, whatever the processor: LLVM splits vectors where there are none."""
    return Lanes(256 // bits, bits)


def emit_vector_sines(lanes: Lanes, present: bool) -> str:
    """Return `@sines(x)`, which gives {sin, cos} of a vector of angles, and what it needs unless that is `present`.

    Where one of the angles is large, all are computed one by one.
    """
    D, tag, pair = lanes.real, lanes.tag, sincos_type(lanes)
    apart = emit_scalar_sines(lanes, f"sines_apart{tag}", "noinline cold")
    whole = [
        f"define internal {pair} @sines{tag}({D} %x) alwaysinline {{",
        "entry:",
        f"  %large = call {lanes.boolean} @wrapped{tag}({D} %x)",
        f"  %far = call i1 @llvm.vector.reduce.or.v{lanes.width}i1({lanes.boolean} %large)",
        "  br i1 %far, label %slow, label %near, !prof !0",
        "near:",
        f"  %together = call {pair} @sincos{tag}({D} %x)",
        *(f"  %near{i} = extractvalue {pair} %together, {i}" for i in range(2)),
        "  br label %done",
        "slow:",
        f"  %apart = call {pair} @sines_apart{tag}({D} %x)",
        *(f"  %far{i} = extractvalue {pair} %apart, {i}" for i in range(2)),
        "  br label %done",
        "done:",
        *(f"  %of{i} = phi {D} [%near{i}, %near], [%far{i}, %slow]" for i in range(2)),
    ]
    needed = [] if present else [emit_intrinsics(lanes), emit_sincos(lanes), emit_angle_reduction(lanes)]
    return "\n".join([*needed, apart, *whole, *_pair("%of0", "%of1", pair, D), "}"])


def emit_scalar_sines(lanes: Lanes, name: str, attributes: str) -> str:
    """Return a function that gives {sin, cos} of a vector of angles, which it computes one by one by `@sincos`."""
    D, pair, one = lanes.real, sincos_type(lanes), Lanes(1, lanes.bits)
    lines = [f"define internal {pair} @{name}({D} %x) {attributes} {{"]
    sine, cosine = "poison", "poison"
    for k in range(lanes.width):
        lines += [
            f"  %x{k} = extractelement {D} %x, i32 {k}",
            f"  %p{k} = call {sincos_type(one)} @sincos{one.tag}({lanes.scalar} %x{k})",
            f"  %a{k} = extractvalue {sincos_type(one)} %p{k}, 0",
            f"  %b{k} = extractvalue {sincos_type(one)} %p{k}, 1",
            f"  %s{k} = insertelement {D} {sine}, {lanes.scalar} %a{k}, i32 {k}",
            f"  %c{k} = insertelement {D} {cosine}, {lanes.scalar} %b{k}, i32 {k}",
        ]
        sine, cosine = f"%s{k}", f"%c{k}"
    return "\n".join([*lines, *_pair(sine, cosine, pair, D), "}"])


def _pair(first: str, second: str, pair: str, kind: str) -> list[str]:
    return [
        f"  %half = insertvalue {pair} poison, {kind} {first}, 0",
        f"  %pair = insertvalue {pair} %half, {kind} {second}, 1",
        f"  ret {pair} %pair",
    ]
