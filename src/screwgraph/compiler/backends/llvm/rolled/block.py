"""A block of code with loops: its stages, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from screwgraph.compiler.backends.llvm.allocation import allocation
from screwgraph.compiler.backends.llvm.block import block
from screwgraph.compiler.backends.llvm.machine import vector_width
from screwgraph.compiler.backends.llvm.rolled.copies import copies, fill
from screwgraph.compiler.backends.llvm.rolled.kernel import Kernel
from screwgraph.compiler.backends.llvm.rolled.products import products
from screwgraph.compiler.backends.llvm.rolled.recursion import recursion
from screwgraph.compiler.backends.llvm.text import Lanes
from screwgraph.tape.rolled import Copies, Fill, Products, Recursion, Rolled, Straight

LOOPS: Mapping[type, Callable[[Any, Kernel], None]] = {
    Copies: copies,
    Fill: fill,
    Products: products,
    Recursion: recursion,
}
"""What writes each kind of stage, but for straight-line code."""


def rolled_block(rolled: Rolled, lanes: Lanes, whole: int) -> str:
    """Return `@block(in, out)`, as `block` does: of one sample, loops take a vector of neighbours at a time."""
    neighbours = widest(lanes).width if lanes.width == 1 else 1
    take, give = allocation("memory", rolled.scratch or 1, lanes.real, lanes.width * lanes.bytes)
    parts, calls = rolled_stages(rolled, lanes, whole, neighbours)
    head = f"define internal void @block{lanes.tag}(ptr noalias %in, ptr noalias %out) {{"
    return "\n".join([*parts, head, *take, *calls, *give, "  ret void", "}"])


def rolled_stages(
    rolled: Rolled, lanes: Lanes, whole: int, neighbours: int, *, inlined: bool = False
) -> tuple[list[str], list[str]]:
    """Return functions of the stages, and the lines that call them with `%in`, `%out` and `%memory`.

    Loops over numbers of one sample take so many `neighbours` at a time.
    """
    areas, parts, calls = (rolled.count, len(rolled.input_names)), list[str](), list[str]()
    for k, stage in enumerate(rolled.stages):
        kernel = Kernel(f"stage{k}_{lanes.tag}", lanes, neighbours, areas, inlined=inlined)
        if isinstance(stage, Straight):
            name = f"straight{k}_"
            parts.append(block(stage.program, lanes, name, whole=whole, inlined=inlined))
            source, target = kernel.pointer(stage.reads), kernel.pointer(stage.writes)
            kernel.do(f"call void @{name}{lanes.tag}(ptr {source}, ptr {target})")
        else:
            LOOPS[type(stage)](stage, kernel)
        parts.append(kernel.text())
        calls.append(f"  call void @stage{k}_{lanes.tag}(ptr %in, ptr %out, ptr %memory)")
    return parts, calls


def widest(lanes: Lanes) -> Lanes:
    """Return how many numbers of this size, of one sample, loops take at a time."""
    return Lanes(vector_width() * 64 // lanes.bits, lanes.bits)
