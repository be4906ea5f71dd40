"""Numbers of neighbouring passages of a loop, on their way to vectors and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.compiler.backends.llvm.routine.kernel import Kernel, Vector
from screwgraph.tape import Block


def may_repeat(blocks: Sequence[Block]) -> bool:
    """Whether passages that are done again find the same: they do not change what they begin with."""
    given, found = set[int](), set[int]()
    for block in blocks:
        given |= set(block.reads) - found
        found |= set(block.writes)
    return not given & found


FEW = 3
"""Numbers of a run, at least, that are turned with some before them once more."""
MANY = 32
"""Numbers of passages, at least, that are copied in a loop: arrays of fewer may stay in registers."""


def move_lanes(body: Kernel, source: tuple[str, int], target: tuple[str, int], count: int, vector: Vector) -> int:
    """Copy neighbouring numbers of as many passages as a vector holds from an address to another; return how many.

    Number k of passage l is `k + l stride` behind the address; where the stride is 0, at lane l of vector k. As many
    numbers as a vector holds are turned at once: rows of the passages are columns of vectors. A few of the `count` may
    be left at the end.
    """
    width = vector.width
    if not target[1] and not source[1]:  # all passages have one place: the last one stays
        for k in range(count):
            body.copy(body.address(source[0], str(width * k + width - 1)), body.address(target[0], str(k)))
        return count
    if source[1] + target[1] == 1:
        for k in range(count):
            here, there = (_list_rows(body, end, k, 1, width)[0] for end in (source, target))
            body.store(body.load(here, vector), there, vector)
        return count
    whole, left = count - count % width, count % width
    for k in (*range(0, whole, width), *[count - width] * (whole > 0 and left >= FEW)):
        rows = [body.load(address, vector) for address in _list_rows(body, source, k, width, width)]
        for row, address in zip(_turn(body, rows, vector), _list_rows(body, target, k, width, width), strict=True):
            body.store(row, address, vector)
    return count if whole and left >= FEW else whole


def move_alone(
    body: Kernel,
    pairs: Iterable[tuple[int, int]],
    array: str,
    find_stride: Callable[[int], int],
    vector: Vector,
    *,
    back: bool,
) -> None:
    """Copy numbers of passages, each a vector of the array and a place of the first passage, there or back.

    Where much moves alike, a loop over places copies it: written out, it was a third of an A1's derivatives.
    """
    groups: dict[Any, list[tuple[int, int]]] = {}
    for i, place in pairs:
        area, offset = body.locate(place)
        groups.setdefault((area, find_stride(place)), []).append((offset, vector.width * i))
    for (area, stride), own in groups.items():
        start, numbers = body.move(*area), Alone(stride, vector, back=back)
        if len(own) < MANY:
            for offset, place in own:
                numbers.copy(body, body.address(start, str(offset)), body.address(array, str(place)))
            continue
        offsets, places = (body.table(column) for column in zip(*own, strict=True))
        with body.each("0", str(len(own))) as t:
            here, there = body.address(start, body.entry(offsets, t)), body.address(array, body.entry(places, t))
            numbers.copy(body, here, there)


@dataclass(frozen=True)
class Alone:
    """A number of passages that are `stride` apart, and the vector that it goes to, or comes `back` from."""

    stride: int
    vector: Vector
    back: bool

    def copy(self, body: Kernel, here: str, there: str) -> None:
        """Copy it between an address at the first passage and that of its vector."""
        for lane in range(self.vector.width):
            ends = body.address(here, str(lane * self.stride)), body.address(there, str(lane))
            body.copy(*(reversed(ends) if self.back else ends))


def _list_rows(body: Kernel, end: tuple[str, int], k: int, count: int, width: int) -> list[str]:
    """Return the addresses of vectors, those of passages, or of numbers from k on."""
    start, stride = end
    return [body.address(start, str(k + i * stride if stride else width * (k + i))) for i in range(count)]


def _turn(body: Kernel, rows: Sequence[str], vector: Vector) -> Sequence[str]:
    """Return the columns of as many vectors as these hold numbers."""
    width, step = vector.width, 1
    while step < width:
        found = list(rows)
        for i in (i for i in range(width) if not i & step):
            low = [width + p - step if p & step else p for p in range(width)]
            high = [width + p if p & step else p + step for p in range(width)]
            for k, order in ((i, low), (i + step, high)):
                mask = ", ".join(f"i32 {p}" for p in order)
                ends = f"{vector.kind} {rows[i]}, {vector.kind} {rows[i + step]}"
                found[k] = body.say(f"shufflevector {ends}, <{width} x i32> <{mask}>")
        rows, step = found, 2 * step
    return rows
