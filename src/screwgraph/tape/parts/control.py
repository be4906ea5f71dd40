"""Parts that are done again, or only if a number says so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.tape.parts.part import Execution, Part
from screwgraph.tape.program import Operations


@dataclass(frozen=True)
class Conditional(Part):
    """Parts that are done, or not, as the number at `test` says."""

    __repr__ = one_line

    test: int
    parts: tuple[Part, ...]

    @property
    def within(self) -> tuple[Part, ...]:
        """The parts."""
        return self.parts

    @property
    def is_conditional(self) -> bool:
        """It is."""
        return True

    def list_reads(self) -> tuple[int]:
        """Return the place of the test."""
        return (self.test,)


class Loop(Conditional):
    """Parts that are done once, and again as long as the number at `test` is not zero after them."""

    def run(self, on: Execution) -> None:
        """Go round, until the number is zero in all samples."""
        count = 1
        on.do(self.parts)
        while np.any(on.memory[self.test] != 0.0):
            on.do(self.parts)
            count += 1
        on.passages.append(count)


class SettlingLoop(Loop):
    """A loop whose passages change nothing once the number is zero: samples side by side go round with the slowest."""

    @property
    def goes_alone(self) -> bool:
        """Samples need not."""
        return False


class When(Conditional):
    """Parts that are done if the number at `test` is not zero."""

    @property
    def optional(self) -> Operations:
        """All of its operations."""
        return self.operations

    def run(self, on: Execution) -> None:
        """Do them, or nothing."""
        if on.memory[self.test] != 0.0:
            on.do(self.parts)


@dataclass(frozen=True)
class SettledWhen(When):
    """Parts that change nothing that is read where the number is zero: samples side by side do them if any does.

    `is_rare` says that few samples do them, and that they are long: of a batch, those which do may go together.
    """

    is_rare: bool = False

    __repr__ = one_line

    @property
    def goes_alone(self) -> bool:
        """Samples need not."""
        return False

    def run(self, on: Execution) -> None:
        """Do them where the number is not zero in any sample."""
        if np.any(on.memory[self.test] != 0.0):
            on.do(self.parts)
