"""Products of short vectors, for all pairs of a row and a column that meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from screwgraph.tape.parts.part import Execution, Part
from screwgraph.tape.program import Operations


@dataclass(frozen=True)
class Products(Part):
    """`target[i, j] = sum over k of left[k, i] right[k, j]` for the columns j of each span of a row i.

    Places: left[k, i] is at `left + k pitch + i`, so is right; target[i, j] is at `target + i width + j`, in none of
    the vectors.
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

    def list_reads(self) -> Iterator[int]:
        """Return the places of both sides' vectors."""
        for k in range(self.terms):
            for span in self.spans:
                yield self.left + k * self.pitch + span.row
                yield from (self.right + k * self.pitch + j for j in span.columns)

    def list_writes(self) -> Iterator[int]:
        """Return the places of the products."""
        return (self.target + span.row * self.width + j for span in self.spans for j in span.columns)

    def run(self, on: Execution) -> None:
        """Multiply."""
        memory = on.memory
        for span in self.spans:
            row = [memory[self.left + k * self.pitch + span.row] for k in range(self.terms)]
            for j in span.columns:
                total = row[0] * memory[self.right + j]
                for k in range(1, self.terms):
                    total = total + row[k] * memory[self.right + k * self.pitch + j]
                memory[self.target + span.row * self.width + j] = total


# Which columns belong to a row, as stretches of neighbours.


class Span(NamedTuple):
    """The columns from `first` on, `count` of them, of a row."""

    row: int
    first: int
    count: int

    @property
    def columns(self) -> range:
        """The columns."""
        return range(self.first, self.first + self.count)


def find_spans(row: int, columns: Iterable[int]) -> list[Span]:
    """Return the stretches of columns of a row, the first columns first."""
    found: list[Span] = []
    for column in sorted(columns):
        if found and column == found[-1].first + found[-1].count:
            found[-1] = found[-1]._replace(count=found[-1].count + 1)
        else:
            found.append(Span(row, column, 1))
    return found
