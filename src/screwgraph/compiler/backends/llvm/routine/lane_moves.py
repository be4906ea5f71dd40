"""Numbers of neighbouring passages of a loop, on their way to vectors and back."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler.backends.llvm.routine.kernel import Kernel, Vector
from screwgraph.tape import Block


def may_repeat(blocks: Sequence[Block]) -> bool:
    """Whether passages that are done again find the same: they do not change what they begin with."""
    given, found = set[int](), set[int]()
    for block in blocks:
        given |= set(block.reads) - found
        found |= set(block.writes)
    return not given & found


def move_lanes(body: Kernel, source: tuple[str, int], target: tuple[str, int], count: int, vector: Vector) -> None:
    """Copy `count` neighbouring numbers of as many passages as a vector holds from an address to another.

    Number k of passage l is `k + l stride` behind the address; where the stride is 0, at lane l of vector k. As many
    numbers as a vector holds are turned at once: rows of the passages are columns of vectors.
    """
    width = vector.width
    if not target[1] and not source[1]:  # all passages have one place: the last one stays
        for k in range(count):
            body.copy(body.address(source[0], str(width * k + width - 1)), body.address(target[0], str(k)))
        return
    k, is_one = 0, source[1] + target[1] == 1
    while k < count:
        size = width if not is_one and width <= count - k else 1
        if size > 1:
            rows = [body.load(address, vector) for address in _list_rows(body, source, k, width, width)]
            for row, address in zip(_turn(body, rows, vector), _list_rows(body, target, k, width, width), strict=True):
                body.store(row, address, vector)
        elif is_one:
            here, there = (_list_rows(body, end, k, 1, width)[0] for end in (source, target))
            body.store(body.load(here, vector), there, vector)
        else:
            for lane in range(width):
                here, there = (
                    body.address(start, str(k + lane * stride if stride else width * k + lane))
                    for start, stride in (source, target)
                )
                body.copy(here, there)
        k += size


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
