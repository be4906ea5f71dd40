"""Steps that descend to a goal, from one start after the other, as one block of machine code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.backends.llvm.block import block
from screwgraph.compiler.backends.llvm.text import Lanes
from screwgraph.compiler.cache import pack_program
from screwgraph.compiler.pieces import WHOLE
from screwgraph.summary import one_line
from screwgraph.tape import Program

REACHED = 1.0
"""The verdict of a step that ends at the goal; 0 asks for another step, any other number gives this start up."""
COUNTS = ("reached", "attempts", "steps")
"""What follows the outputs of `end`: whether the goal was reached, starts and steps that it took."""


@dataclass(frozen=True, eq=False)
class Descent:
    """A program that is a loop: it has the interface of straight-line programs, but for its instructions.

    `step` maps (x, cost, memory, parameters) to (x, cost, memory, verdict), `end` maps (x, parameters) to results.
    Attempts begin at the parameters `start`, then at the rows of `starts`, again and again, with `memory` as it is here
    and infinite cost. The first that reaches the goal ends the descent; else the x of least cost counts. `most` names
    the parameters that say how many attempts, and steps of each, are made.
    """

    __repr__ = one_line

    step: Program
    end: Program
    input_names: tuple[str, ...]
    start: tuple[str, ...]
    memory: tuple[float, ...]
    starts: Float[np.ndarray, "starts n"]
    most: tuple[str, str]

    @property
    def question(self) -> Any:
        """All that the machine code depends on."""
        programs = (pack_program(self.step), pack_program(self.end))
        return "descent", programs, self.input_names, self.start, self.memory, self.starts, self.most

    @property
    def instructions(self) -> Sequence[tuple[Any, ...]]:
        """The instructions of both programs."""
        return (*self.step.instructions, *self.end.instructions)


def descent(given: Descent, lanes: Lanes, whole: int = WHOLE) -> str:
    """Return `@block(in, out)` for one sample: a state stands before the parameters, which stay where they are."""
    assert lanes.width == 1, "samples take different numbers of steps"
    programs = {"step": given.step, "end": given.end}
    parts = [*(block(p, lanes, name, whole=whole) for name, p in programs.items()), _constants(given, lanes)]
    return "\n".join([*parts, *_loop(given, lanes)])


def _constants(given: Descent, lanes: Lanes) -> str:
    rows = given.starts.ravel().tolist() or [0.0] * len(given.start)
    first = [float("inf"), *given.memory]
    lines = [
        f"@{name} = private constant [{len(values)} x {lanes.scalar}] "
        f"[{', '.join(f'{lanes.scalar} {lanes.number(x)}' for x in values)}], align 64"
        for name, values in (("starts", rows), ("first", first))
    ]
    return "\n".join(lines)


def _loop(given: Descent, lanes: Lanes) -> list[str]:
    R, tag, n = lanes.scalar, lanes.tag, len(given.start)
    state, parameters = n + 1 + len(given.memory), len(given.input_names)
    place = {name: i for i, name in enumerate(given.input_names)}
    results, at = len(given.end.outputs), [place[name] for name in given.start]
    assert at == list(range(at[0], at[0] + n)), "the parameters of the start are neighbours"

    def copy(target: str, source: str, count: int) -> str:
        size = count * lanes.bytes
        return f"  call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)"

    def away(name: str, pointer: str, offset: int | str) -> str:
        return f"  %{name} = getelementptr {R}, ptr {pointer}, i64 {offset}"

    return [
        f"define internal void @block{tag}(ptr noalias %in, ptr noalias %out) {{",
        "entry:",
        f"  %state = alloca [{state + parameters} x {R}], align 64",
        f"  %next = alloca [{state + 1} x {R}], align 64",
        f"  %best = alloca [{n + parameters} x {R}], align 64",
        away("state_parameters", "%state", state),
        away("best_parameters", "%best", n),
        away("given", "%in", at[0]),
        away("state_cost", "%state", n),
        away("verdict_at", "%next", state),
        copy("%state_parameters", "%in", parameters),
        copy("%best_parameters", "%in", parameters),
        copy("%best", "%given", n),
        away("attempts_at", "%in", place[given.most[0]]),
        f"  %attempts_real = load {R}, ptr %attempts_at, align {lanes.bytes}",
        f"  %attempts = fptosi {R} %attempts_real to i64",
        away("steps_at", "%in", place[given.most[1]]),
        f"  %steps_real = load {R}, ptr %steps_at, align {lanes.bytes}",
        f"  %steps = fptosi {R} %steps_real to i64",
        "  br label %attempt",
        "attempt:",
        "  %a = phi i64 [0, %entry], [%a_next, %done]",
        "  %taken = phi i64 [0, %entry], [%taken_next, %done]",
        f"  %least = phi {R} [{lanes.number(float('inf'))}, %entry], [%least_next, %done]",
        "  %is_first = icmp eq i64 %a, 0",
        "  %before = sub i64 %a, 1",
        f"  %turn = urem i64 %before, {max(1, len(given.starts))}",
        f"  %row = mul i64 %turn, {n}",
        "  %away = select i1 %is_first, i64 0, i64 %row",
        away("other", "@starts", "%away"),
        "  %from = select i1 %is_first, ptr %given, ptr %other",
        copy("%state", "%from", n),
        copy("%state_cost", "@first", state - n),
        "  br label %step",
        "step:",
        "  %i = phi i64 [0, %attempt], [%i_next, %step]",
        f"  call void @step{tag}(ptr %state, ptr %next)",
        copy("%state", "%next", state),
        f"  %verdict = load {R}, ptr %verdict_at, align {lanes.bytes}",
        "  %i_next = add i64 %i, 1",
        f"  %open = fcmp oeq {R} %verdict, {lanes.number(0.0)}",
        "  %in_time = icmp slt i64 %i_next, %steps",
        "  %again = and i1 %open, %in_time",
        "  br i1 %again, label %step, label %judge",
        "judge:",
        "  %taken_next = add i64 %taken, %i_next",
        f"  %cost = load {R}, ptr %state_cost, align {lanes.bytes}",
        f"  %reached = fcmp oeq {R} %verdict, {lanes.number(REACHED)}",
        f"  %less = fcmp olt {R} %cost, %least",
        "  %keeps = or i1 %reached, %less",
        f"  %least_next = select i1 %less, {R} %cost, {R} %least",
        "  br i1 %keeps, label %keep, label %done",
        "keep:",
        copy("%best", "%state", n),
        "  br label %done",
        "done:",
        "  %a_next = add i64 %a, 1",
        "  %is_left = icmp slt i64 %a_next, %attempts",
        "  %unreached = xor i1 %reached, true",
        "  %tries = and i1 %is_left, %unreached",
        "  br i1 %tries, label %attempt, label %end",
        "end:",
        f"  call void @end{tag}(ptr %best, ptr %out)",
        away("reached_at", "%out", results),
        f"  %reached_real = uitofp i1 %reached to {R}",
        f"  store {R} %reached_real, ptr %reached_at, align {lanes.bytes}",
        away("tried_at", "%out", results + 1),
        f"  %tried_real = sitofp i64 %a_next to {R}",
        f"  store {R} %tried_real, ptr %tried_at, align {lanes.bytes}",
        away("taken_at", "%out", results + 2),
        f"  %taken_real = sitofp i64 %taken_next to {R}",
        f"  store {R} %taken_real, ptr %taken_at, align {lanes.bytes}",
        "  ret void",
        "}",
    ]
