"""Numbers that are wanted at other places, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.tape.program import Operations
from screwgraph.tape.rolled.stage import Run


@dataclass(frozen=True)
class Copies:
    """The numbers at `sources`, one after the other to `targets`."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]

    @property
    def operations(self) -> Operations:
        """None."""
        return Operations({})

    def run(self, memory: list[Any], run: Run) -> None:
        """Copy."""
        for source, target in zip(self.sources, self.targets, strict=True):
            memory[target] = memory[source]
