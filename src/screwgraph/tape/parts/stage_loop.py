"""Parts that are done for one stage of a chain after the other: what belongs to a stage moves through the memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from screwgraph.base.summary import one_line
from screwgraph.tape.parts.part import Execution, Part, list_parts
from screwgraph.tape.program import Operations


class Window(NamedTuple):
    """`size` places from `start` on, which move by `stride` each passage, backwards if that is negative."""

    start: int
    size: int
    stride: int

    @property
    def places(self) -> range:
        """The places of the first passage."""
        return range(self.start, self.start + self.size)


@dataclass(frozen=True)
class StageLoop(Part):
    """`parts`, done `count` times: at passage k, a place p of a window is the place p + k stride.

    Parts name the places of the first passage; those outside of all windows stay. Windows have no place in common, and
    no two places that parts name are one at any passage. A place that stands in a loop within another moves with each
    of them that has a window of it.
    """

    __repr__ = one_line

    count: int
    parts: tuple[Part, ...]
    windows: tuple[Window, ...]

    @property
    def within(self) -> tuple[Part, ...]:
        """The parts."""
        return self.parts

    @property
    def repeats(self) -> bool:
        """It does."""
        return True

    @property
    def operations(self) -> Operations:
        """The operations of all passages, of which those that numbers may leave out count once."""
        once, optional = super().operations.counts, self.optional.counts
        more = {symbol: (self.count - 1) * optional.get(symbol, 0) for symbol in once}
        return Operations({symbol: self.count * number - more[symbol] for symbol, number in once.items()})

    def stride(self, place: int) -> int:
        """Return how far a place moves at each passage."""
        return find_stride(self.windows, place)

    def list_reads(self) -> Iterator[int]:
        """Return the places that move of those that its parts read, at all passages."""
        return self._list_moved(place for part in list_parts(self.parts) for place in part.list_reads())

    def list_writes(self) -> Iterator[int]:
        """Return the places that move of those that its parts write, at all passages."""
        return self._list_moved(place for part in list_parts(self.parts) for place in part.list_writes())

    def _list_moved(self, places: Iterable[int]) -> Iterator[int]:
        for place in dict.fromkeys(places):
            if stride := self.stride(place):
                yield from (place + k * stride for k in range(self.count))

    def run(self, on: Execution) -> None:
        """Go through the stages."""
        memory = on.memory if isinstance(on.memory, _Moved) else _Moved(on.memory, ())
        for k in range(self.count):
            moved = _Moved(memory.fixed, (*memory.passages, (self, k)))
            Execution(moved, on.compute, on.passages).do(self.parts)


class SideBySide(StageLoop):
    """A loop whose passages do not read what others of them write: neighbours may go side by side, all at once."""


@dataclass(frozen=True)
class _Moved:
    """A memory as parts see it at passages of the loops over stages around them."""

    fixed: Any
    passages: tuple[tuple[StageLoop, int], ...]

    def find(self, place: int) -> int:
        """Return where a place is now."""
        return place + sum(k * loop.stride(place) for loop, k in self.passages)

    def __getitem__(self, place: int) -> Any:
        return self.fixed[self.find(place)]

    def __setitem__(self, place: int, value: Any) -> None:
        self.fixed[self.find(place)] = value


def find_stride(windows: Sequence[Window], place: int) -> int:
    """Return how far a place moves at each passage of a loop with these windows: not at all outside of them."""
    return next((w.stride for w in windows if w.start <= place < w.start + w.size), 0)


@dataclass(frozen=True)
class Moves:
    """The loops over stages around a part, as a back end prints it: their windows by the names of their passages."""

    loops: Mapping[str, Sequence[Window]]

    def strides(self, place: int) -> list[tuple[str, int]]:
        """Return the passages with which a place moves, and how far at each."""
        found = ((name, find_stride(windows, place)) for name, windows in self.loops.items())
        return [(name, stride) for name, stride in found if stride]

    def within(self, name: str, loop: StageLoop) -> Moves:
        """Return the moves of parts within one more loop."""
        return Moves({**self.loops, name: loop.windows})

    def is_together(self, places: Sequence[int]) -> bool:
        """Whether places, if there are any, move alike."""
        return len({tuple(self.strides(place)) for place in (places if self.loops else ())}) <= 1


FIXED = Moves({})
"""No loop over stages."""
