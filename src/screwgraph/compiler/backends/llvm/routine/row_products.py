"""Products of large matrices, whose columns go side by side: loops over the terms of some rows at a time.

Straight-line code of a matrix of 70 rows and 100 columns is longer than the processor's cache of instructions, and
takes LLVM seconds. Sums of products are found in it, in the order in which it adds, so that digits are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.compiler.backends.llvm.multiply_add import fuse_multiply_add
from screwgraph.compiler.backends.llvm.routine.kernel import Kernel, Vector
from screwgraph.tape import Block, SideBySide

LARGE = 1000
"""Instructions from which a program is worth loops."""
MOST = 0.8
"""Of its terms, what a row has at least in the loop of its stretch, and of all terms, what is in loops of some rows."""
SUMS = {8: 24, 4: 12, 2: 12}
"""Sums that registers hold beside what is multiplied, by the numbers (of 64 bits) of a vector."""
TILES = 2
"""Vectors of columns that go side by side: what is read of the left matrix serves both."""

Step = tuple[str, tuple[int, ...]]
"""What is done to a sum: "more", the places of two factors, "add" or "sub", what the sum is added to or taken from."""


@dataclass(frozen=True)
class ProductRow:
    """A sum of products: its steps, the first of which begins it, and the place of the result."""

    steps: tuple[Step, ...]
    target: int

    def count_common(self, first: ProductRow, loop: SideBySide) -> int:
        """Return how many first steps multiply the same vectors as another row's, by numbers equally far behind its."""
        count = 0
        for own, other in zip(self.steps, first.steps, strict=False):
            if {own[0], other[0]} != {"more"}:
                break
            (a, v), (b, w) = own[1], other[1]
            moved = self.steps[0][1][0] - first.steps[0][1][0]
            if v != w or a - b != moved or (loop.stride(a), loop.stride(v)) != (0, 1):
                break
            count += 1
        return count


@dataclass(frozen=True)
class ProductRows:
    """Neighbouring rows, the first `terms` steps of which are one loop."""

    rows: tuple[ProductRow, ...]
    terms: int

    @property
    def factors(self) -> list[tuple[int, int]]:
        """The places of both factors of the loop's steps, of the first row."""
        return [(own[0], own[1]) for _, own in self.rows[0].steps[: self.terms]]


def find_row_products(block: Block, loop: SideBySide) -> list[ProductRows]:
    """Return the rows of a large program that is nothing but sums of products, in stretches with loops; else none."""
    if len(block.program.instructions) < LARGE or set(block.reads) & set(block.writes):
        return []
    rows, found = _read_rows(block, loop), list[ProductRows]()
    for row in rows:
        if found:
            first = found[-1].rows[0]
            terms = min(row.count_common(first, loop), found[-1].terms)
            if terms >= MOST * max(row.count_common(row, loop), first.count_common(first, loop), 1):
                found[-1] = ProductRows((*found[-1].rows, row), terms)
                continue
        found.append(ProductRows((row,), row.count_common(row, loop)))
    looped = sum(own.terms * len(own.rows) for own in found if len(own.rows) > 1)
    is_worth = looped >= MOST * sum(len(row.steps) for row in rows) and all(own.terms for own in found)
    return found if rows and is_worth else []


def _read_rows(block: Block, loop: SideBySide) -> list[ProductRow]:
    """Return the sums of products that a program is; none where it has anything else."""
    program = fuse_multiply_add(block.program)
    code: Any = program.instructions
    rows = list[ProductRow]()

    def is_input(*values: int) -> bool:
        return all(code[value][0] == "input" for value in values)

    for output, target in zip(program.outputs, block.writes, strict=True):
        steps, value = list[Step](), output
        while steps[-1:] == [] or steps[-1][0] != "begin":
            operation, *operands = code[value] if isinstance(value, int) else ("constant",)
            if operation == "times_add" and is_input(*operands[:2]):
                kind, own, value = "more", operands[:2], operands[2]
            elif operation in ("add", "sub") and is_input(operands[0]):
                kind, own, value = operation, operands[:1], operands[1]
            elif operation == "mul" and is_input(*operands):
                kind, own = "begin", operands
            else:
                return []
            places = [block.reads[code[o][1]] for o in own]
            if any(loop.stride(place) not in (0, 1) for place in places) or loop.stride(target) != 1:
                return []
            steps.append((kind, tuple(sorted(places, key=loop.stride))))
        first = ("more", steps.pop()[1])
        rows.append(ProductRow((first, *reversed(steps)), target))
    return rows


def print_row_products(body: Kernel, part: SideBySide, stretches: Sequence[ProductRows], width: int) -> int:
    """Print the loops over as many columns as vectors hold; return how many columns are done."""
    done = 0
    for tiles in (TILES, 1):
        end = done + (part.count - done) // (tiles * width) * tiles * width
        if done < end:
            with body.stages(part, done, end, tiles * width):
                for own in stretches:
                    _print_stretch(body, part, own, (width, tiles))
        done = end
    return done


def is_addressed(body: Kernel, stretches: Sequence[ProductRows]) -> bool:
    """Whether numbers of a loop are in one memory and move alike, and so do its vectors."""
    return all(
        len({body.locate(place)[0] for place in side}) == 1
        for own in stretches
        for side in zip(*own.factors, strict=True)
    )


def _print_stretch(body: Kernel, part: SideBySide, own: ProductRows, shape: tuple[int, int]) -> None:
    width, tiles = shape
    vector, size = Vector(body.lanes, width), SUMS.get(width * body.lanes.bits // 64, SUMS[4]) // tiles
    factors = own.factors
    numbers, vectors = (body.table([place - side[0] for place in side]) for side in zip(*factors, strict=True))
    for start in range(0, len(own.rows), size):
        rows = own.rows[start : start + size]
        sums = [[body.variable("zeroinitializer", vector.kind) for _ in range(tiles)] for _ in rows]
        moves = [row.steps[0][1][0] - rows[0].steps[0][1][0] for row in rows]
        left, right = body.pointer(rows[0].steps[0][1][0]), body.pointer(factors[0][1])
        for row, places in zip(sums, _read_columns(body, left, right, moves, vector, tiles), strict=True):
            for target, (a, b) in zip(row, places, strict=True):
                body.change(target, body.arithmetic("fmul", a, b, vector), vector.kind)
        with body.each("1", str(own.terms)) as k:
            ends = body.address(left, body.entry(numbers, k)), body.address(right, body.entry(vectors, k))
            for row, places in zip(sums, _read_columns(body, *ends, moves, vector, tiles), strict=True):
                for target, (a, b) in zip(row, places, strict=True):
                    more = body.more(body.value(target, vector.kind), a, b, vector)
                    body.change(target, more, vector.kind)
        for row, targets in zip(rows, sums, strict=True):
            for tile, target in enumerate(targets):
                total = body.value(target, vector.kind)
                for step in row.steps[own.terms :]:
                    total = _do_step(body, part, step, total, vector, tile * width)
                body.store(total, body.address(body.pointer(row.target), str(tile * width)), vector)


def _read_columns(
    body: Kernel, left: str, right: str, moves: Sequence[int], vector: Vector, tiles: int
) -> Iterator[list[tuple[str, str]]]:
    """Yield the factors of each row: a number in all lanes, and each tile's vector."""
    columns = [body.load(body.address(right, str(tile * vector.width)), vector) for tile in range(tiles)]
    for move in moves:
        number = body.spread(body.load(body.address(left, str(move)), body.one), vector)
        yield [(number, column) for column in columns]


def _do_step(body: Kernel, part: SideBySide, step: Step, total: str, vector: Vector, column: int) -> str:
    """Print what is done to a sum, of the columns from one on; return the sum."""
    kind, places = step
    values = [
        body.load(body.address(body.pointer(place), str(column)), vector)
        if part.stride(place)
        else body.spread(body.load(body.pointer(place), body.one), vector)
        for place in places
    ]
    if kind == "more":
        return body.more(total, values[0], values[1], vector)
    return body.arithmetic(f"f{kind}", values[0], total, vector)
