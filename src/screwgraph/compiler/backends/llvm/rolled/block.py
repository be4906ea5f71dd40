"""A block of code with loops: its stages, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from screwgraph.compiler.backends.llvm.allocation import emit_allocation
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import vector_width
from screwgraph.compiler.backends.llvm.rolled.kernel import Kernel, Vector
from screwgraph.compiler.backends.llvm.rolled.recursion import emit_recursion
from screwgraph.compiler.backends.llvm.sample_block import emit_block
from screwgraph.tape.rolled import Copies, Fill, Products, Recursion, Rolled, StraightLine

# Products of short vectors for pairs of rows and columns, as many columns at once as a vector holds.


def emit_products(stage: Products, kernel: Kernel) -> None:
    """Write the loops over spans and their columns.

    Of a span that is longer than a vector, the last vector ends where the span does: some are computed twice.
    """
    rows, firsts, counts = (kernel.table(column) for column in zip(*stage.spans, strict=True))
    left, right, target = (kernel.pointer(place) for place in (stage.left, stage.right, stage.target))
    one, wide = Vector(kernel.lanes, 1), Vector(kernel.lanes, kernel.widest)
    with kernel.each("0", str(len(stage.spans))) as t:
        i, first, count = (kernel.entry(table, t) for table in (rows, firsts, counts))
        end = kernel.integer("add", first, count)
        row = kernel.address(left, i)
        numbers = [kernel.load(kernel.address(row, str(k * stage.pitch)), one) for k in range(stage.terms)]
        result = kernel.address(target, kernel.integer("mul", i, stage.width))
        j = kernel.variable(first)
        if wide.width > 1:
            spread = [kernel.spread(x, wide) for x in numbers]
            with kernel.loop(j, end, wide.width) as here:
                _product(stage, kernel, spread, (right, result, here), wide)
            last = kernel.integer("sub", end, wide.width)
            done = kernel.say(f"icmp eq i64 {kernel.value(j)}, {end}")
            short = kernel.say(f"icmp slt i64 {last}, {first}")
            with kernel.unless(kernel.say(f"or i1 {done}, {short}")):
                _product(stage, kernel, spread, (right, result, last), wide)
                kernel.change(j, end)
        with kernel.loop(j, end, 1) as here:
            _product(stage, kernel, numbers, (right, result, here), one)


def _product(
    stage: Products, kernel: Kernel, numbers: Sequence[str], where: tuple[str, str, str], vector: Vector
) -> None:
    """Write the product at some columns: of the addresses of the right side and of the row, and of the column."""
    right, result, column = where
    start, total = kernel.address(right, column), ""
    for k, number in enumerate(numbers):
        there = kernel.load(kernel.address(start, str(k * stage.pitch)), vector)
        total = kernel.more(total, number, there, vector) if total else kernel.arithmetic("fmul", number, there, vector)
    kernel.store(total, kernel.address(result, column), vector)


def emit_copies(stage: Copies, kernel: Kernel) -> None:
    """Write a loop over places, for each pair of areas that they are in."""
    one = Vector(kernel.lanes, 1)
    together: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for source, target in zip(stage.sources, stage.targets, strict=True):
        (a, i), (b, j) = kernel.area(source), kernel.area(target)
        together.setdefault((a, b), []).append((i, j))
    for (a, b), pairs in together.items():
        sources, targets = (kernel.table(column) for column in zip(*pairs, strict=True))
        with kernel.each("0", str(len(pairs))) as t:
            value = kernel.load(kernel.address(a, kernel.entry(sources, t)), one)
            kernel.store(value, kernel.address(b, kernel.entry(targets, t)), one)


def emit_fill(stage: Fill, kernel: Kernel) -> None:
    """Write a loop that stores zeros."""
    one, target = Vector(kernel.lanes, 1), kernel.pointer(stage.target)
    with kernel.each("0", str(stage.count)) as i:
        kernel.store(kernel.lanes.number(0.0), kernel.address(target, i), one)


LOOPS: Mapping[type, Callable[[Any, Kernel], None]] = {
    Copies: emit_copies,
    Fill: emit_fill,
    Products: emit_products,
    Recursion: emit_recursion,
}
"""What writes each kind of stage, but for straight-line code."""


def emit_rolled_block(rolled: Rolled, lanes: Lanes, whole: int) -> str:
    """Return `@block(in, out)`, as `emit_block` does: of one sample, loops take a vector of neighbours at a time."""
    neighbours = widest_vector(lanes).width if lanes.width == 1 else 1
    take, give = emit_allocation("memory", rolled.scratch or 1, lanes.real, lanes.width * lanes.bytes)
    parts, calls = emit_rolled_stages(rolled, lanes, whole, neighbours)
    head = f"define internal void @block{lanes.tag}(ptr noalias %in, ptr noalias %out) {{"
    return "\n".join([*parts, head, *take, *calls, *give, "  ret void", "}"])


def emit_rolled_stages(
    rolled: Rolled, lanes: Lanes, whole: int, neighbours: int, *, inlined: bool = False
) -> tuple[list[str], list[str]]:
    """Return functions of the stages, and the lines that call them with `%in`, `%out` and `%memory`.

    Loops over numbers of one sample take so many `neighbours` at a time.
    """
    areas, parts, calls = (rolled.count, len(rolled.input_names)), list[str](), list[str]()
    for k, stage in enumerate(rolled.stages):
        kernel = Kernel(f"stage{k}_{lanes.tag}", lanes, neighbours, areas, inlined=inlined)
        if isinstance(stage, StraightLine):
            name = f"straight{k}_"
            parts.append(emit_block(stage.program, lanes, name, whole=whole, inlined=inlined))
            source, target = kernel.pointer(stage.reads), kernel.pointer(stage.writes)
            kernel.do(f"call void @{name}{lanes.tag}(ptr {source}, ptr {target})")
        else:
            LOOPS[type(stage)](stage, kernel)
        parts.append(kernel.text())
        calls.append(f"  call void @stage{k}_{lanes.tag}(ptr %in, ptr %out, ptr %memory)")
    return parts, calls


def widest_vector(lanes: Lanes) -> Lanes:
    """Return how many numbers of this size, of one sample, loops take at a time."""
    return Lanes(vector_width() * 64 // lanes.bits, lanes.bits)
