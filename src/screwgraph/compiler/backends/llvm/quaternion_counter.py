"""Quaternions of batches: whether they are unit is counted where code runs over samples, next to no time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from screwgraph.compiler.backends.llvm.inner_loop import Operand
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.spatial.quaternions import UNIT_TOLERANCE

COUNTER = "off_unit"
"""The name of a pointer to the counter, which grows where a block of samples holds a quaternion that is not unit."""


def place_quaternions(inputs: Sequence[Operand], quaternions: Sequence[tuple[int, int]]) -> list[Operand]:
    """Return the arguments, quaternions' numbers that the program does not need given places behind the others."""
    free = max((place + 1 for operand in inputs for place in operand.places), default=0)
    found = list(inputs)
    for i, start in quaternions:
        places = list(found[i].places)
        for flat in range(start, start + 4):
            if places[flat] < 0:
                places[flat], free = free, free + 1
        found[i] = replace(found[i], places=tuple(places))
    return found


def emit_quaternion_counter(inputs: Sequence[Operand], quaternions: Sequence[tuple[int, int]], lanes: Lanes) -> str:
    """Return `@unit(in)`, which looks at the quaternions of a block of samples; NaN is left to others."""
    D, N, B, number = lanes.real, lanes.integer, lanes.boolean, lanes.number
    lines, any_off = [f"define internal void @unit{lanes.tag}(ptr %in) alwaysinline {{"], ""
    for number_of, (i, start) in enumerate(quaternions):
        total = number(-1.0)
        for k, place in enumerate(inputs[i].places[start : start + 4]):
            here = f"{number_of}_{k}"
            lines += [
                f"  %p{here} = getelementptr {lanes.entry}, ptr %in, i64 {place}",
                f"  %v{here} = load {D}, ptr %p{here}, align {lanes.bytes}",
                f"  %s{here} = call {D} {lanes.intrinsic('fma')}({D} %v{here}, {D} %v{here}, {D} {total})",
            ]
            total = f"%s{here}"
        here = str(number_of)
        lines += [
            *lanes.magnitude(f"%size{here}", total, here),
            f"  %much{here} = icmp ugt {N} %size{here}, {lanes.as_whole(UNIT_TOLERANCE)}",
            f"  %is{here} = icmp ule {N} %size{here}, {lanes.as_whole(float('inf'))}",
            f"  %off{here} = and {B} %much{here}, %is{here}",
        ]
        if any_off:
            lines.append(f"  %any{here} = or {B} {any_off}, %off{here}")
        any_off = f"%any{here}" if any_off else f"%off{here}"
    if lanes.width > 1:
        lines.append(f"  %some = call i1 @llvm.vector.reduce.or.v{lanes.width}i1({B} {any_off})")
        any_off = "%some"
    return "\n".join(
        [
            *lines,
            f"  br i1 {any_off}, label %count, label %done, !prof !0",
            "count:",
            f"  %counter = load ptr, ptr @{COUNTER}, align 8",
            "  %before = atomicrmw add ptr %counter, i64 1 monotonic",
            "  br label %done",
            "done:",
            "  ret void",
            "}",
        ]
    )
