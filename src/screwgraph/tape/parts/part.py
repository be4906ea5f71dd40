"""What a part of code with loops is: the one thing that a routine is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from screwgraph.tape.program import Operations, Program


@dataclass(frozen=True)
class Execution:
    """A run of parts: numbers of any kind in `memory`, what does to them as a program says, passages of loops done."""

    memory: Any
    compute: Callable[[Program, Sequence[Any]], Sequence[Any]]
    passages: list[int] = field(default_factory=list)

    def do(self, parts: Iterable[Part]) -> None:
        """Run parts one after the other."""
        for part in parts:
            part.run(self)


class Part(ABC):
    """A step from numbers of a memory to others of it."""

    @property
    def within(self) -> tuple[Part, ...]:
        """The parts that it does itself, if it does any."""
        return ()

    def with_parts(self, parts: tuple[Part, ...]) -> Part:
        """Return it with other parts within it."""
        return replace(self, parts=parts)  # pyright: ignore[reportCallIssue, reportArgumentType]

    @property
    def is_conditional(self) -> bool:
        """Whether numbers say what is done, or which ones are read: there is no straight-line code of it."""
        return False

    @property
    def goes_alone(self) -> bool:
        """Whether samples cannot go side by side."""
        return self.is_conditional

    @property
    def repeats(self) -> bool:
        """Whether code without loops is longer by a number of passages that code with loops does not feel."""
        return False

    @property
    def operations(self) -> Operations:
        """Counts of its arithmetic operations; of the parts within it, of one passage."""
        return sum_operations(self.within)

    @property
    def optional(self) -> Operations:
        """Operations that numbers may leave out, at any stage of a loop over stages, which counts them once."""
        return Operations(dict(sum((Counter(part.optional.counts) for part in self.within), start=Counter())))

    def list_reads(self) -> Iterable[int]:
        """Return the places that it reads, other than those within it do."""
        return ()

    def list_writes(self) -> Iterable[int]:
        """Return the places that it writes, scratch included, other than those within it do."""
        return ()

    @abstractmethod
    def run(self, on: Execution) -> None:
        """Do it with numbers of any kind."""


def sum_operations(parts: Iterable[Part]) -> Operations:
    """Return the operations of parts, each done once."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part.operations.counts)
    return Operations(dict(total))


def list_parts(parts: Iterable[Part]) -> Iterator[Part]:
    """Return parts, those within others, too, in the order in which they are written."""
    for part in parts:
        yield part
        yield from list_parts(part.within)
