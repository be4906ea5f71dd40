"""Parts of a step with contacts, and what stands beside them for its derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.steps.named_vectors import Expression, make_named_block
from screwgraph.tape import Memory, Part


class StepParts(Protocol):
    """How expressions of a step become parts, and which parts derivatives add."""

    def make_parts(
        self, label: str, reads: Sequence[str], writes: Sequence[str], expression: Expression
    ) -> tuple[Part, ...]:
        """Return the parts of an expression of vectors by name."""
        ...

    def begin_slopes(self, given: Mapping[str, int]) -> tuple[Part, ...]:
        """Return what derivatives begin with; `given` are sizes of arguments."""
        ...

    def keep_first(self) -> tuple[Part, ...]:
        """Return what keeps the unknowns of a first solution for derivatives."""
        ...

    def list_slopes(self, names: Sequence[str]) -> tuple[Part, ...]:
        """Return what differentiates a step after its impulses are found; `names` are those of arguments."""
        ...


@dataclass(frozen=True, eq=False)
class PlainParts:
    """Parts of a step without derivatives."""

    __repr__ = one_line

    memory: Memory

    def make_parts(
        self, label: str, reads: Sequence[str], writes: Sequence[str], expression: Expression
    ) -> tuple[Part, ...]:
        """Return the parts of an expression of vectors by name."""
        return (make_named_block(self.memory, label, reads, writes, expression),)

    def begin_slopes(self, given: Mapping[str, int]) -> tuple[Part, ...]:
        """Return none."""
        return ()

    def keep_first(self) -> tuple[Part, ...]:
        """Return none."""
        return ()

    def list_slopes(self, names: Sequence[str]) -> tuple[Part, ...]:
        """Return none."""
        return ()
