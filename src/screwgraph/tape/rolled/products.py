"""Products of short vectors, for all pairs of a row and a column that meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.tape.program import Operations
from screwgraph.tape.rolled.spans import Span
from screwgraph.tape.rolled.stage import Run


@dataclass(frozen=True)
class Products:
    """`target[i, j] = sum over k of left[k, i] right[k, j]` for the columns j of each span of a row i.

    Places: left[k, i] is at `left + k pitch + i`, so is right; target[i, j] is at `target + i width + j`.
    """

    terms: int
    left: int
    right: int
    pitch: int
    target: int
    width: int
    spans: tuple[Span, ...]

    @property
    def operations(self) -> Operations:
        """A product of vectors for each pair."""
        pairs = sum(span.count for span in self.spans)
        return Operations({"*": self.terms * pairs, "+": (self.terms - 1) * pairs})

    def run(self, memory: list[Any], run: Run) -> None:
        """Multiply."""
        for span in self.spans:
            row = [memory[self.left + k * self.pitch + span.row] for k in range(self.terms)]
            for j in span.columns:
                total = row[0] * memory[self.right + j]
                for k in range(1, self.terms):
                    total = total + row[k] * memory[self.right + k * self.pitch + j]
                memory[self.target + span.row * self.width + j] = total
