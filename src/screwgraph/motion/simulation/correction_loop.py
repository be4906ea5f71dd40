"""Numbers in a memory beside their bounds, as code: whether they are within, and corrections until they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from screwgraph.tape import Block, Loop, Memory, Number, Part, Tape, When, apply, program

Bounds = Sequence[tuple[int, float]]
"""Places in memory, and how large the numbers there may be."""


def make_bound_test(bounds: Bounds, place: int) -> Block:
    """Return code that writes 1 to a place where all numbers are within their bounds, else 0; NaN is not."""
    tape = Tape(merge="form")
    names = [f"x[{i}]" for i in range(len(bounds))]
    met = _all_within([tape.input(name) for name in names], bounds)
    return Block("within", program(tape, [met], names), tuple(at for at, _ in bounds), (place,))


def make_correction_loop(look: Block, correct: Block, bounds: Bounds, most: int, memory: Memory) -> tuple[Part, ...]:
    """Return parts that look, and correct until what is seen is within `bounds`, or after `most` looks.

    They leave 0 in `open` where it is within, else 1.
    """
    for name in ("open", "looks", "again"):
        memory.add(name, 1)
    (left,), (looks,), (again,) = (memory.places(name) for name in ("open", "looks", "again"))
    tape = Tape(merge="form")
    *numbers, count = (tape.input(f"x[{i}]") for i in range(len(bounds) + 1))
    is_open, more = apply("not", _all_within(numbers, bounds)), count + 1.0
    code = program(
        tape, [is_open, more, apply("and", is_open, more < float(most))], [f"x[{i}]" for i in range(len(bounds) + 1)]
    )
    judge = Block("judge", code, (*(at for at, _ in bounds), looks), (left, looks, again))
    begin = memory.block("begin", [], ["looks"], lambda: [0.0])
    return begin, Loop(again, (look, judge, When(again, (correct,))))


def _all_within(numbers: Sequence[Number], bounds: Bounds) -> Number:
    return reduce(
        lambda a, b: apply("and", a, b), (abs(x) <= bound for x, (_, bound) in zip(numbers, bounds, strict=True)), 1.0
    )
