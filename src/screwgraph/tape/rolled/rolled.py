"""Code whose long parts are loops: as short for two hundred joints as for ten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.tape.program import Operations, Program, program
from screwgraph.tape.rolled.stage import Run, Stage
from screwgraph.tape.scalar import Number
from screwgraph.tape.tape import Tape


@dataclass(frozen=True)
class Rolled:
    """Stages one after the other in a memory: `count` results first, then the inputs, then `scratch` numbers."""

    __repr__ = one_line

    input_names: tuple[str, ...]
    stages: tuple[Stage, ...]
    count: int
    scratch: int

    @property
    def operations(self) -> Operations:
        """Count the arithmetic operations that are done, each as often as its loop does it."""
        total: Counter[str] = Counter()
        for stage in self.stages:
            total.update(stage.operations.counts)
        return Operations(dict(total))

    @cached_property
    def unrolled(self) -> Program:
        """The same as straight-line code, for what knows no loops."""
        tape = Tape(merge="form")
        return program(tape, self.on([tape.input(name) for name in self.input_names]), self.input_names)

    @cached_property
    def guarded(self) -> tuple[int, ...]:
        """The values, of each program, that are no numbers where they are small."""
        return tuple(i for stage in self.stages if isinstance(stage, StraightLine) for i in stage.program.guarded)

    def evaluate(self, inputs: Sequence[Any]) -> list[Any]:
        """Interpret with NumPy values of any one shape, one for each input."""
        return self._run(inputs, Program.evaluate)

    def on(self, inputs: Sequence[Number]) -> list[Number]:
        """Write the code without loops on the tape whose scalars are among the inputs."""
        return self._run(inputs, Program.on)

    def _run(self, inputs: Sequence[Any], run: Run) -> list[Any]:
        memory: list[Any] = [None] * self.count + list(inputs) + [None] * self.scratch
        for stage in self.stages:
            stage.run(memory, run)
        return memory[: self.count]


Code = Program | Rolled
"""What functions are made of."""


def unroll_code(code: Code) -> Program:
    """Return code without loops."""
    return code if isinstance(code, Program) else code.unrolled


# Straight-line code between loops.


@dataclass(frozen=True)
class StraightLine:
    """A program, whose inputs stand side by side from place `reads` on, and whose outputs go to `writes` and after."""

    program: Program
    reads: int
    writes: int

    @property
    def operations(self) -> Operations:
        """Operations of the program."""
        return self.program.operations

    def run(self, memory: list[Any], run: Run) -> None:
        """Evaluate the program."""
        found = run(self.program, memory[self.reads : self.reads + len(self.program.input_names)])
        memory[self.writes : self.writes + len(found)] = found
