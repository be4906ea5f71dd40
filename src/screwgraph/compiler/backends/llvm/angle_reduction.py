"""Large angles less whole turns, as LLVM assembly; which they are says `compiler/passes/angle_reduction.py`.

They are reduced beyond `LARGE`, off the way of ordinary calls.
"""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.sincos import emit_large_test
from screwgraph.compiler.passes.angle_reduction import TURN

TURNS = 0.15915494309189535
"""1 / (2 pi)."""


def emit_angle_reduction(lanes: Lanes, *, branches: bool = True) -> str:
    """Return `@wrapped(x)` as LLVM assembly: x less whole turns where it is large, two steps of Cody & Waite (1980).

    For vectors it only tells where x is large: these samples are computed one by one. Without `branches` turns are
    counted of every x.
    """
    D, number = lanes.real, lanes.number
    if lanes.width > 1:
        head = f"define internal {lanes.boolean} @wrapped{lanes.tag}({D} %x) alwaysinline {{"
        return "\n".join([head, *emit_large_test(lanes), f"  ret {lanes.boolean} %large", "}"])
    fma, rint = lanes.intrinsic("fma"), lanes.intrinsic("rint")
    first, second = map(number, TURN[f"float{lanes.bits}"])
    reduced = [
        f"  %part = fmul {D} %x, {number(TURNS)}",
        f"  %turns = call {D} {rint}({D} %part)",
        f"  %minus = fneg {D} %turns",
        f"  %rough = call {D} {fma}({D} %minus, {D} {first}, {D} %x)",
        f"  %fine = call {D} {fma}({D} %minus, {D} {second}, {D} %rough)",
    ]
    chosen = [*emit_large_test(lanes), *reduced, f"  %answer = select i1 %large, {D} %fine, {D} %x"]
    if branches:
        chosen = [
            *emit_large_test(lanes),
            "  br i1 %large, label %slow, label %done, !prof !0",
            "slow:",
            *reduced,
            "  br label %done",
            "done:",
            f"  %answer = phi {D} [%x, %entry], [%fine, %slow]",
        ]
    head = [f"declare {D} {rint}({D})", f"define internal {D} @wrapped{lanes.tag}({D} %x) alwaysinline {{", "entry:"]
    return "\n".join([*head, *chosen, f"  ret {D} %answer", "}"])
