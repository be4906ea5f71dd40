"""A block of code with loops: its stages, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from screwgraph.compiler.backends.llvm.allocation import emit_allocation
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import vector_width
from screwgraph.compiler.backends.llvm.rolled.copies import emit_copies, emit_fill
from screwgraph.compiler.backends.llvm.rolled.kernel import Kernel
from screwgraph.compiler.backends.llvm.rolled.products import emit_products
from screwgraph.compiler.backends.llvm.rolled.recursion import emit_recursion
from screwgraph.compiler.backends.llvm.sample_block import emit_block
from screwgraph.tape.rolled import Copies, Fill, Products, Recursion, Rolled, StraightLine

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
