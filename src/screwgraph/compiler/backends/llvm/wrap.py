"""Large angles less whole turns, before they are added: rounding their sum would cost 1e-7 rad at 1e9 rad.

sin(q1 + q2) of parallel axes loses what the sum is rounded by; sin(q) alone loses nothing. Sums that sines and cosines
alone need are the same modulo 2 pi, so their inputs are reduced beyond `sincos.LARGEST`, off the way of ordinary calls.
"""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.sincos import is_large
from screwgraph.compiler.backends.llvm.text import Lanes
from screwgraph.tape import Program

SUMS = ("add", "sub", "neg")
TURN = {64: (6.283185307179586, 2.4492935982947064e-16), 32: (6.2831854820251465, -1.7484555314695172e-07)}
"""2 pi in two parts, by the size of a number in bits."""
TURNS = 0.15915494309189535
"""1 / (2 pi)."""


def angle_sums(program: Program) -> frozenset[int]:
    """Return the places of sums that nothing but sines, cosines and other such sums need."""
    otherwise = {output for output in program.outputs if isinstance(output, int)}
    found = set()
    for i, (operation, *operands) in reversed(list(enumerate(program.instructions))):
        if operation in SUMS and i not in otherwise:
            found.add(i)
        elif operation not in ("constant", "input", "sin", "cos"):
            otherwise.update(operands)
    return frozenset(found)


def wrapped(lanes: Lanes) -> str:
    """Return `@wrapped(x)` as LLVM assembly: x less whole turns where it is large, two steps of Cody & Waite (1980).

    For vectors it only tells where x is large: these samples are computed one by one.
    """
    D, number = lanes.real, lanes.number
    if lanes.width > 1:
        head = f"define internal {lanes.boolean} @wrapped{lanes.tag}({D} %x) alwaysinline {{"
        return "\n".join([head, *is_large(lanes), f"  ret {lanes.boolean} %large", "}"])
    fma, rint = lanes.intrinsic("fma"), lanes.intrinsic("rint")
    first, second = map(number, TURN[lanes.bits])
    return "\n".join(
        [
            f"declare {D} {rint}({D})",
            f"define internal {D} @wrapped{lanes.tag}({D} %x) alwaysinline {{",
            "entry:",
            *is_large(lanes),
            "  br i1 %large, label %slow, label %done, !prof !0",
            "slow:",
            f"  %part = fmul {D} %x, {number(TURNS)}",
            f"  %turns = call {D} {rint}({D} %part)",
            f"  %minus = fneg {D} %turns",
            f"  %rough = call {D} {fma}({D} %minus, {D} {first}, {D} %x)",
            f"  %fine = call {D} {fma}({D} %minus, {D} {second}, {D} %rough)",
            "  br label %done",
            "done:",
            f"  %answer = phi {D} [%x, %entry], [%fine, %slow]",
            f"  ret {D} %answer",
            "}",
        ]
    )
