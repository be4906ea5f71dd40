"""Where the numbers of a program stand in the memory of code with loops, so that few of them are copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from screwgraph.compiler.backends.llvm.routine.kernel import Kernel
from screwgraph.tape import Block

MANY = 32
"""Numbers that are copied for a program, unless they stand in one memory."""


def read_span(part: Block, body: Kernel) -> Block:
    """Return a block of many inputs that reads a stretch of one memory, which has these and others that it leaves."""
    used = sorted({i[1] for i in part.program.instructions if i[0] == "input"})
    places = [part.reads[i] for i in used]
    if part.reads_in_place or len(used) < MANY or body.around.loops or not body.is_within(places):
        return part
    span = range(min(places), max(places) + 1)
    names = [""] * len(span)
    for i, place in zip(used, places, strict=True):
        names[place - span.start] = part.program.input_names[i]
    moved = [("input", part.reads[i[1]] - span.start) if i[0] == "input" else i for i in part.program.instructions]
    return replace(part, program=replace(part.program, input_names=tuple(names), instructions=moved), reads=span)


def find_targets(part: Block, reads: Sequence[int], body: Kernel, whole: int) -> tuple[int, ...]:
    """Return where, from the first place on, results of many samples stand that go to one memory as they are found.

    None where they stand side by side, or where a part `reads` what it writes, or is longer than a `whole` function.
    """
    is_apart = body.lanes.width > 1 and not body.around.loops and len(part.program.instructions) <= whole
    if not is_apart or part.writes_in_place or set(reads) & set(part.writes) or not body.is_within(part.writes):
        return ()
    return tuple(place - min(part.writes) for place in part.writes)
