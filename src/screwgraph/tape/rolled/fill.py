"""Numbers that are constant until something else is stored there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.tape.program import Operations
from screwgraph.tape.rolled.stage import Run


@dataclass(frozen=True)
class Fill:
    """`count` zeros from a place on."""

    target: int
    count: int

    @property
    def operations(self) -> Operations:
        """None."""
        return Operations({})

    def run(self, memory: list[Any], run: Run) -> None:
        """Store the zeros."""
        memory[self.target : self.target + self.count] = [0.0] * self.count
