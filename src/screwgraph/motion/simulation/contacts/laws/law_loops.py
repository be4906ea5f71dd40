"""Loops over the laws of a step: code of one law of a kind, whose vectors move through the memory with the passage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.laws.laws import ImpulseLaw
from screwgraph.optimize.chain_program.columns import make_block
from screwgraph.tape import Memory, Number, SideBySide, StageLoop, Window


class LawRun(NamedTuple):
    """Laws of one kind, one after the other: the first of their rows, values and numbers that are prepared."""

    law: ImpulseLaw
    count: int
    row: int
    value: int
    place: int


def find_runs(laws: Sequence[ImpulseLaw]) -> list[LawRun]:
    """Return laws by runs of equal ones."""
    found, row, value, place = list[LawRun](), 0, 0, 0
    for law in laws:
        if found and found[-1].law == law:
            found[-1] = found[-1]._replace(count=found[-1].count + 1)
        else:
            found.append(LawRun(law, 1, row, value, place))
        row, value, place = row + law.rows, value + law.values, place + law.prepared
    return found


@dataclass(frozen=True, eq=False)
class LawLoops:
    """Loops over runs of laws in a memory; `widths` are how many numbers a row has of vectors that have not one."""

    __repr__ = one_line

    runs: Sequence[LawRun]
    memory: Memory
    widths: Mapping[str, int]

    def each(
        self,
        label: str,
        own: Sequence[str],
        fixed: Sequence[str],
        writes: tuple[Sequence[str], Sequence[str]],
        expression: Callable[..., Sequence[Number]],
        *,
        alone: bool = False,
    ) -> Iterator[StageLoop]:
        """Yield a loop for each run: an expression of the law, of vectors of its `own`, and of others that are `fixed`.

        It `writes` some of both. Laws that stand `alone` read nothing that others write.
        """
        for run in self.runs:
            moved = dict.fromkeys([*own, *writes[0]])
            first = {name: self._find_first(run, name) for name in moved}
            given = [*(first[name] for name in own), *map(self.memory.places, fixed)]
            found = [*(first[name] for name in writes[0]), *map(self.memory.places, writes[1])]
            block = make_block(label, given, found, lambda *x, law=run.law: expression(law, *x))
            windows = tuple(Window(x.start, len(x), len(x)) for x in first.values())
            yield (SideBySide if alone else StageLoop)(run.count, (block,), windows)

    def _find_first(self, run: LawRun, name: str) -> range:
        """Return the places of the first law of a run."""
        first, law = self.memory.places(name).start, run.law
        start, size = {"values": (run.value, law.values), "prepared": (run.place, law.prepared)}.get(
            name, (run.row, law.rows)
        )
        width = self.widths.get(name, 1)
        return range(first + width * start, first + width * (start + size))


def split_rows(numbers: Any, rows: int) -> list[Any]:
    """Return numbers of so many rows by rows."""
    width = len(numbers) // rows
    return [numbers[width * k : width * (k + 1)] for k in range(rows)]
