"""Straight-line code between loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.tape.program import Operations, Program
from screwgraph.tape.rolled.stage import Run


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
