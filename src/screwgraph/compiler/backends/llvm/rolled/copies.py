"""Copies and zeros."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.rolled.kernel import Kernel, Vector
from screwgraph.tape.rolled import Copies, Fill


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
