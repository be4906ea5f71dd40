"""Queues of samples that wait until they fill a block, as LLVM assembly: numbers of samples, and how many there are."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.ir_text import Lanes

ENOUGH = 16
"""Blocks of a batch from which on samples that take long wait for one another: the last ones fill no block."""
QUEUES = ("slow", "left", "fast")
"""Samples that wait: those that are expected to take longer than others, those that did, others that were beside them.

What the first ones are spared, as they are known to need more, blocks of their own leave out.
"""


def begin_queues(lanes: Lanes) -> list[str]:
    """Make two empty queues, and tell by `%patient` whether samples wait at all."""
    lines = [f"  %patient = icmp sge i64 %count, {ENOUGH * lanes.width}"]
    for queue in QUEUES:  # up to a block of them stays, and two blocks are added before one is computed
        lines += [
            f"  %{queue} = alloca [{3 * lanes.width} x i64], align 64",
            f"  %{queue}_count = alloca i64",
            f"  store i64 0, ptr %{queue}_count",
        ]
    return lines


def note_samples(queue: str, how: str, given: str, name: str, tag: str) -> list[str]:
    """Add samples to a queue."""
    return [
        f"  %before_{name} = load i64, ptr %{queue}_count",
        f"  %now_{name} = call i64 @{how}{tag}(ptr %{queue}, i64 %before_{name}, {given})",
        f"  store i64 %now_{name}, ptr %{queue}_count",
    ]


def drop_block(queue: str, width: int, label: str) -> list[str]:
    """Drop the first block of samples of a queue; a `label` names what is of this place."""
    return [
        f"  %{label}_had = load i64, ptr %{queue}_count",
        f"  %{label}_rest = sub i64 %{label}_had, {width}",
        f"  store i64 %{label}_rest, ptr %{queue}_count",
        f"  %{label}_beyond = getelementptr i64, ptr %{queue}, i64 {width}",
        f"  call void @llvm.memmove.p0.p0.i64(ptr %{queue}, ptr %{label}_beyond, i64 {16 * width}, i1 false)",
    ]


def join_queues(queue: str, other: str, after: str, lanes: Lanes) -> list[str]:
    """Add what is left of a queue, less than a block, to another one; from there go to `after`."""
    B = f"i{lanes.width}"
    return [
        f"{queue}_end:",
        f"  %{queue}_rest_count = load i64, ptr %{queue}_count",
        f"  %{queue}_power = shl i64 1, %{queue}_rest_count",
        f"  %{queue}_ones = sub i64 %{queue}_power, 1",
        f"  %{queue}_bits = trunc i64 %{queue}_ones to {B}",
        *note_samples(other, "note_some", f"ptr %{queue}, {B} %{queue}_bits", f"{queue}_rest_of", lanes.tag),
        f"  br label %{after}",
    ]


def take_last_samples(queue: str, after: str, lanes: Lanes) -> list[str]:
    """Take the samples that are left of a queue; a block that is not full has the first one several times."""
    arguments = f"ptr %args, ptr %steps, ptr %{queue}, ptr %in, ptr %out, i1 false"
    return [
        f"{queue}_end:",
        f"  %{queue}_last = load i64, ptr %{queue}_count",
        f"  %{queue}_none = icmp eq i64 %{queue}_last, 0",
        f"  br i1 %{queue}_none, label %{after}, label %{queue}_fill",
        f"{queue}_fill:",
        f"  %{queue}_one = load i64, ptr %{queue}",
        f"  br label %{queue}_add",
        f"{queue}_add:",
        f"  %{queue}_l = phi i64 [%{queue}_last, %{queue}_fill], [%{queue}_next, %{queue}_add]",
        f"  %{queue}_at = getelementptr i64, ptr %{queue}, i64 %{queue}_l",
        f"  store i64 %{queue}_one, ptr %{queue}_at",
        f"  %{queue}_next = add i64 %{queue}_l, 1",
        f"  %{queue}_more = icmp slt i64 %{queue}_next, {lanes.width}",
        f"  br i1 %{queue}_more, label %{queue}_add, label %{queue}_go",
        f"{queue}_go:",
        f"  %{queue}_all = call i{lanes.width} @later{lanes.tag}({arguments})",
        f"  br label %{after}",
    ]
