"""Parts that move numbers, and compute none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.tape.parts.part import Execution, Part


@dataclass(frozen=True)
class Copies(Part):
    """The numbers at `sources`, one after the other to `targets`; none of these is among the sources."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]

    def list_reads(self) -> tuple[int, ...]:
        """Return the sources."""
        return self.sources

    def list_writes(self) -> tuple[int, ...]:
        """Return the targets."""
        return self.targets

    def run(self, on: Execution) -> None:
        """Copy."""
        for source, target in zip(self.sources, self.targets, strict=True):
            on.memory[target] = on.memory[source]


@dataclass(frozen=True)
class Fill(Part):
    """`count` zeros from a place on."""

    target: int
    count: int

    def list_writes(self) -> range:
        """Return the places of the zeros."""
        return range(self.target, self.target + self.count)

    def run(self, on: Execution) -> None:
        """Store the zeros."""
        for place in self.list_writes():
            on.memory[place] = 0.0


@dataclass(frozen=True, eq=False)
class Lookup(Part):
    """The row of a table whose number stands at `row`, written to contiguous places from `target` on."""

    __repr__ = one_line

    table: Float[np.ndarray, "rows n"]
    row: int
    target: int

    @property
    def is_conditional(self) -> bool:
        """It is: a number says which row."""
        return True

    def list_reads(self) -> tuple[int]:
        """Return the place of the row's number."""
        return (self.row,)

    def list_writes(self) -> range:
        """Return the places of the row's numbers."""
        return range(self.target, self.target + self.table.shape[1])

    def run(self, on: Execution) -> None:
        """Copy the row."""
        for place, value in zip(self.list_writes(), self.table[int(on.memory[self.row])], strict=True):
            on.memory[place] = value


@dataclass(frozen=True)
class RowMove(Part):
    """Moves the row whose number stands at `row`, of a matrix of `rows` rows of `count` numbers from `matrix` on.

    `vector` is where its numbers, one after the other, come from or go to.
    """

    matrix: int
    rows: int
    count: int
    row: int
    vector: int

    @property
    def is_conditional(self) -> bool:
        """It is: a number says which row."""
        return True

    @property
    def area(self) -> range:
        """The places of the matrix."""
        return range(self.matrix, self.matrix + self.rows * self.count)

    @property
    def numbers(self) -> range:
        """The places of the vector."""
        return range(self.vector, self.vector + self.count)

    def find_row(self, on: Execution) -> range:
        """Return the places of the row."""
        start = self.matrix + self.count * int(on.memory[self.row])
        return range(start, start + self.count)


class Pick(RowMove):
    """The row of a matrix, written to a vector."""

    def list_reads(self) -> tuple[int, ...]:
        """Return the places of the row's number and of the matrix."""
        return (self.row, *self.area)

    def list_writes(self) -> range:
        """Return the places of the vector."""
        return self.numbers

    def run(self, on: Execution) -> None:
        """Copy the row."""
        for source, target in zip(self.find_row(on), self.numbers, strict=True):
            on.memory[target] = on.memory[source]


class Put(RowMove):
    """A vector, written to the row of a matrix, all of which counts as written."""

    def list_reads(self) -> tuple[int, ...]:
        """Return the places of the row's number and of the vector; other rows stay what they are."""
        return (self.row, *self.numbers, *self.area)

    def list_writes(self) -> range:
        """Return the places of the matrix."""
        return self.area

    def run(self, on: Execution) -> None:
        """Copy the vector."""
        for source, target in zip(self.numbers, self.find_row(on), strict=True):
            on.memory[target] = on.memory[source]
