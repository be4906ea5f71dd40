"""Whether the entries of a sample's result are neighbours in NumPy's array, row by row."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.ir_text import Lanes

Shape = tuple[int, ...]


def emit_stride_loads(shape: Shape) -> list[str]:
    """Load the strides within a sample (bytes), to which `%core` points, as `%s<axis>`."""
    lines = [] if shape else ["  %s0 = add i64 0, 0"]
    for axis in range(len(shape)):
        lines += [
            f"  %at_s{axis} = getelementptr i64, ptr %core, i64 {axis}",
            f"  %s{axis} = load i64, ptr %at_s{axis}, align 8",
        ]
    return lines


def emit_contiguity_test(shape: Shape, lanes: Lanes) -> list[str]:
    """Tell from these strides whether the entries are neighbours: `%flat`."""
    lines, flat, below = [], "true", lanes.bytes
    for axis in reversed(range(len(shape))):
        if shape[axis] > 1:
            lines += [
                f"  %is{axis} = icmp eq i64 %s{axis}, {below}",
                f"  %flat{axis} = and i1 {flat}, %is{axis}",
            ]
            flat = f"%flat{axis}"
        below *= shape[axis]
    return [*lines, f"  %flat = and i1 {flat}, true"]
