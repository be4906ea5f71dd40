"""Sines and cosines of several angles of one sample, in one vector: they take as long as one."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.sincos import sincos, together
from screwgraph.compiler.backends.llvm.text import Lanes, declarations
from screwgraph.compiler.backends.llvm.wrap import wrapped


def several(bits: int) -> Lanes:
    """Return how many angles go together, whatever the processor: LLVM splits vectors where there are none."""
    return Lanes(256 // bits, bits)


def sines(lanes: Lanes, present: bool) -> str:
    """Return `@sines(x)`, which gives {sin, cos} of a vector of angles, and what it needs unless that is `present`.

    Where one of the angles is large, all are computed one by one.
    """
    D, tag, pair = lanes.real, lanes.tag, together(lanes)
    apart = sines_apart(lanes, f"sines_apart{tag}", "noinline cold")
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
    needed = [] if present else [declarations(lanes), sincos(lanes), wrapped(lanes)]
    return "\n".join([*needed, apart, *whole, *_pair("%of0", "%of1", pair, D), "}"])


def sines_apart(lanes: Lanes, name: str, attributes: str) -> str:
    """Return a function that gives {sin, cos} of a vector of angles, which it computes one by one by `@sincos`."""
    D, pair, one = lanes.real, together(lanes), Lanes(1, lanes.bits)
    lines = [f"define internal {pair} @{name}({D} %x) {attributes} {{"]
    sine, cosine = "poison", "poison"
    for k in range(lanes.width):
        lines += [
            f"  %x{k} = extractelement {D} %x, i32 {k}",
            f"  %p{k} = call {together(one)} @sincos{one.tag}({lanes.scalar} %x{k})",
            f"  %a{k} = extractvalue {together(one)} %p{k}, 0",
            f"  %b{k} = extractvalue {together(one)} %p{k}, 1",
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
