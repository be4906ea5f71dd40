"""Products of short vectors for pairs of rows and columns, as many columns at once as a vector holds."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler.backends.llvm.rolled.kernel import Kernel, Vector
from screwgraph.tape.rolled import Products


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
