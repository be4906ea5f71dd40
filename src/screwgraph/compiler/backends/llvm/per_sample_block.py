"""The samples of a block one by one."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler.backends.llvm.allocation import emit_allocation
from screwgraph.compiler.backends.llvm.argument_pointers import ONE, ArgumentPointers, format_pointers
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.tape import Program


def emit_per_sample_block(
    program: Program, lanes: Lanes, name: str, places: Sequence[int] | None = None, pointers: ArgumentPointers = ONE
) -> str:
    """Return `@<name>_each(in, out)`: the samples of the block `@<name>` one by one.

    This is for angles that vectors of sines do not reach. `places` says which output each one of the block for one
    sample is, by default the same; `pointers` are what that one takes.
    """
    R, width, single = lanes.scalar, lanes.width, Lanes(1, lanes.bits)
    places = range(len(program.outputs)) if places is None else places
    sizes = {"in": max(len(program.input_names), 1), "out": max(len(places), 1)}
    allocations = [emit_allocation(f"one_{name}", size, R, lanes.bytes) for name, size in sizes.items()]
    stretches, taken = pointers.into("%one_in", "one_in", single)
    to = ", ".join(f"i64 {place}" for place in places) or "i64 0"
    lines = [
        f"@{name}_each_places{lanes.tag} = private constant [{sizes['out']} x i64] [{to}]",
        f"define internal void @{name}_each{lanes.tag}(ptr %in, ptr %out) noinline cold {{",
        "entry:",
        *(line for take, _ in allocations for line in take),
        "  br label %lane",
        "lane:",
        "  %k = phi i64 [0, %entry], [%k_next, %out_done]",
        *_lane_copy("in", sizes["in"], lanes, "lane", name),
        *stretches,
        f"  call void @{name}{single.tag}({format_pointers(taken)}, ptr %one_out)",
        *_lane_copy("out", sizes["out"], lanes, "in_done", name),
        "  %k_next = add i64 %k, 1",
        f"  %k_more = icmp slt i64 %k_next, {width}",
        "  br i1 %k_more, label %lane, label %end",
        "end:",
        *(line for _, give in allocations for line in give),
        "  ret void",
        "}",
    ]
    return "\n".join(lines)


def _lane_copy(name: str, size: int, lanes: Lanes, before: str, block: str) -> list[str]:
    """Copy lane k of `size` vectors at `name` to single numbers at `one_name`, or back for "out", to their places."""
    R, align = lanes.scalar, lanes.bytes
    source, target = ("vector", "single") if name == "in" else ("single", "vector")
    found = [f"  %{name}_place = add i64 %{name}_i, 0"]
    if name == "out":
        found = [
            f"  %out_where = getelementptr i64, ptr @{block}_each_places{lanes.tag}, i64 %out_i",
            "  %out_place = load i64, ptr %out_where, align 8",
        ]
    return [
        f"  br label %{name}_copy",
        f"{name}_copy:",
        f"  %{name}_i = phi i64 [0, %{before}], [%{name}_next, %{name}_copy]",
        *found,
        f"  %{name}_row = mul i64 %{name}_place, {lanes.sample_stride}",
        f"  %{name}_at = add i64 %{name}_row, %k",
        f"  %{name}_vector = getelementptr {R}, ptr %{name}, i64 %{name}_at",
        f"  %{name}_single = getelementptr {R}, ptr %one_{name}, i64 %{name}_i",
        f"  %{name}_value = load {R}, ptr %{name}_{source}, align {align}",
        f"  store {R} %{name}_value, ptr %{name}_{target}, align {align}",
        f"  %{name}_next = add i64 %{name}_i, 1",
        f"  %{name}_more = icmp slt i64 %{name}_next, {size}",
        f"  br i1 %{name}_more, label %{name}_copy, label %{name}_done",
        f"{name}_done:",
    ]
