"""Code with loops: parts that are done one after the other in one memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.tape.parts import Block, Execution, Part, SettledWhen, list_parts, sum_operations
from screwgraph.tape.program import Operations, Program, program
from screwgraph.tape.scalar import Number
from screwgraph.tape.tape import Tape


@dataclass(frozen=True)
class Routine:
    """Parts that are done one after the other in a memory of `size` numbers, float64 or float32, all of one type.

    Input i stands at `inputs[i]` before, result i at `outputs[i]` after them; other places hold nothing before they are
    written. A part reads what it reads before it writes, unless its docstring says more; what it takes for scratch is
    nobody else's. Two parts share places where the one writes what the other reads: that is all they know of each
    other. Places are constants: only a `Lookup`, a `Pick` or a `Put` chooses what it reads or writes by a number, only
    a `Loop` or a `When` what is done, so that samples go side by side through all other code (`is_conditional`). Within
    a `StageLoop` places move with the passage.
    Arguments and results of a caller never overlap; where results come first, inputs follow, and no part writes these
    (`is_direct`), back ends leave both where the caller has them.
    `likely` is a program of the same inputs whose one result is not zero where a sample will do what is rare, as far as
    inputs tell: of a batch, such samples may go together from the start.
    """

    __repr__ = one_line

    input_names: tuple[str, ...]
    inputs: Sequence[int]
    outputs: Sequence[int]
    size: int
    parts: tuple[Part, ...]
    likely: Program | None = None

    @cached_property
    def every(self) -> tuple[Part, ...]:
        """All parts, those within others, too, in the order in which they are written."""
        return tuple(list_parts(self.parts))

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """All straight-line code."""
        return tuple(part.program for part in self.every if isinstance(part, Block))

    @cached_property
    def instructions(self) -> Sequence[tuple[Any, ...]]:
        """The instructions of all of it."""
        return tuple(i for program in self.programs for i in program.instructions)

    @property
    def operations(self) -> Operations:
        """Count the arithmetic operations of a passage through all parts, as often as loops over stages do them.

        What a `When` does counts once, though it stands in a loop over stages.
        """
        return sum_operations(self.parts)

    @cached_property
    def guarded(self) -> tuple[int, ...]:
        """The values, of each program, that are no numbers where they are small."""
        return tuple(i for program in self.programs for i in program.guarded)

    @cached_property
    def is_conditional(self) -> bool:
        """Whether numbers say what is done: there is no code without loops."""
        return any(part.is_conditional for part in self.every)

    @cached_property
    def goes_alone(self) -> bool:
        """Whether samples cannot go side by side."""
        return any(part.goes_alone for part in self.every)

    @cached_property
    def repeats(self) -> bool:
        """Whether loops go over stages."""
        return any(part.repeats for part in self.every)

    @cached_property
    def is_rarely_long(self) -> bool:
        """Whether few samples take much longer than others."""
        return any(isinstance(part, SettledWhen) and part.is_rare for part in self.every)

    @cached_property
    def scratch(self) -> int:
        """The place behind results and inputs where these come first in memory, in this order, else 0."""
        shared = (*self.outputs, *self.inputs)
        return len(shared) if shared == tuple(range(len(shared))) else 0

    @cached_property
    def is_direct(self) -> bool:
        """Whether results come first in memory, then inputs, which no part writes."""
        given = range(len(self.outputs), self.scratch)
        in_order = self.scratch == len(self.outputs) + len(self.inputs)
        return in_order and not any(place in given for part in self.every for place in part.list_writes())

    @cached_property
    def unrolled(self) -> Program:
        """The same as straight-line code, for what knows no loops; not of conditional code."""
        tape = Tape(merge="form")
        return program(tape, self.on([tape.input(name) for name in self.input_names]), self.input_names)

    def to_text(self) -> str:
        """Return the code as text, a part a line, below it what stands within it; see `Program.to_text`."""
        return "\n".join([*_describe(self.parts), f"return memory{[*self.outputs]}"])

    def evaluate(self, inputs: Sequence[Any], passages: list[int] | None = None) -> list[Any]:
        """Interpret with numbers of one type, one for each input; `passages` gets how often each loop went round.

        NumPy values of any one shape do, too, where samples go side by side.
        """
        dtype = np.result_type(*inputs) if inputs else np.dtype(float)

        def compute(code: Program, given: Sequence[Any]) -> Sequence[Any]:
            return [np.asarray(value, dtype)[()] for value in code.evaluate(given)]

        return self._run(inputs, compute, [] if passages is None else passages)

    def on(self, inputs: Sequence[Number]) -> list[Number]:
        """Write the code without loops on the tape whose scalars are among the inputs.

        Raises:
            InputError: it is conditional.
        """
        if self.is_conditional:
            raise InputError(
                "code with loops that end when numbers say so cannot be written without loops",
                why="how often each goes round is known when it runs",
                fix="call it, or export it in a language that has loops; .jax() and .torch() take it as it is",
            )
        return self._run(inputs, Program.on, [])

    def _run(self, inputs: Sequence[Any], compute: Callable[..., Sequence[Any]], passages: list[int]) -> list[Any]:
        memory: list[Any] = [None] * self.size
        for place, value in zip(self.inputs, inputs, strict=True):
            memory[place] = value
        Execution(memory, compute, passages).do(self.parts)
        return [memory[place] for place in self.outputs]

    def bind(self, values: Mapping[str, float]) -> Routine:
        """Return the routine with some inputs fixed: floats are folded in all code that reads them."""
        known = {p: float(values[n]) for n, p in zip(self.input_names, self.inputs, strict=True) if n in values}
        open_ = [(n, p) for n, p in zip(self.input_names, self.inputs, strict=True) if n not in values]
        asked = (p for part in self.every if not isinstance(part, Block) for p in part.list_reads())
        changed = {*asked, *(p for part in self.every for p in part.list_writes())}
        assert not known.keys() & changed, "an input that is fixed is only read by programs"
        return replace(
            self.map_blocks(lambda block: block.bind(known)),
            input_names=tuple(n for n, _ in open_),
            inputs=tuple(p for _, p in open_),
            likely=None,
        )

    def map_blocks(self, change: Callable[[Block], Block]) -> Routine:
        """Return the routine with other straight-line code."""
        return replace(self, parts=_map_blocks(self.parts, change))


def _map_blocks(parts: Sequence[Part], change: Callable[[Block], Block]) -> tuple[Part, ...]:
    return tuple(
        change(part)
        if isinstance(part, Block)
        else part.with_parts(_map_blocks(part.within, change))
        if part.within
        else part
        for part in parts
    )


def _describe(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        yield one_line(part)
        inside = part.program.to_text().splitlines() if isinstance(part, Block) else _describe(part.within)
        yield from (f"    {line}" for line in inside)


Code = Program | Routine
"""What functions are made of: one basic block, or such blocks in loops."""


def format_operations(code: Code) -> str:
    """Return how many operations code takes as text: of code with loops, a passage."""
    each = " a passage" if code.is_conditional else ""
    return f"{code.operations.total} operations{each}"
