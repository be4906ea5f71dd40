"""Entries of a block's results to one stretch of NumPy's arrays.

A table says where in the block each entry is: entries that are the same value, mirrored ones and zeros, are computed
and stored there once. Where samples are neighbours in the array, vectors move as they are. Where entries are
neighbours, as many as there are samples are turned in registers. Any other strides: number by number.
"""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler.backends.llvm.gather import TILE, emit_sample_loads, emit_transpose
from screwgraph.compiler.backends.llvm.ir_text import Lanes


def emit_scatter(lanes: Lanes, length: int) -> str:
    """Return `@scatter_<length>(array, core, outer, block, table)`: strides (bytes) of entries and of samples."""
    arguments = "ptr %array, i64 %core, i64 %outer, ptr %block, ptr %table"
    lines = [f"define internal void @scatter{lanes.tag}_{length}({arguments}) noinline {{", "entry:"]
    if lanes.width > 1:
        lines += [
            f"  %samples_together = icmp eq i64 %outer, {lanes.bytes}",
            "  br i1 %samples_together, label %columns, label %other",
            "other:",
            f"  %numbers_together = icmp eq i64 %core, {lanes.bytes}",
            "  br i1 %numbers_together, label %rows, label %number",
            "columns:",
            "  br label %column",
            "column:",
            "  %i = phi i64 [0, %columns], [%i_next, %column]",
            *_vector("i", "%i", lanes),
            "  %far = mul i64 %i, %core",
            "  %at = getelementptr i8, ptr %array, i64 %far",
            f"  store {lanes.real} %vi, ptr %at, align {lanes.bytes}",
            *_again("i", "column", length),
            *_squares(lanes, length),
        ]
    else:
        lines.append("  br label %number")
    return "\n".join([*lines, *_numbers(lanes, length), "end:", "  ret void", "}"])


def emit_scatter_some(lanes: Lanes, lengths: Sequence[int]) -> str:
    """Return `@scatter_some_<length>(..., samples)`, for the samples whose numbers are in a list."""
    texts = []
    for length in lengths:
        arguments = "ptr %array, i64 %core, i64 %outer, ptr %block, ptr %table, ptr %samples"
        lines = [
            f"define internal void @scatter_some{lanes.tag}_{length}({arguments}) noinline {{",
            "other:",
            f"  %numbers_together = icmp eq i64 %core, {lanes.bytes}",
            "  br i1 %numbers_together, label %rows, label %number",
            *_squares(lanes, length, emit_sample_loads(lanes)),
            *_numbers(lanes, length, some=True),
        ]
        texts.append("\n".join([*lines, "end:", "  ret void", "}"]))
    return "\n".join(texts)


def _squares(lanes: Lanes, length: int, samples: Sequence[str] = ()) -> list[str]:
    """Squares of as many entries as samples; the last overlaps the one before it, or is cut by a mask.

    They are neighbours, or those that lines `samples` load.
    """
    D, width, align = lanes.real, lanes.width, lanes.bytes
    numbers, last, lines = min(width, length), max(length - width, 0), ["rows:", *samples]
    for k in range(width):
        lines += [
            f"  %o{k} = mul i64 %outer, {f'%s{k}' if samples else k}",
            f"  %row{k} = getelementptr i8, ptr %array, i64 %o{k}",
        ]
    lines += ["  br label %square", "square:", "  %g = phi i64 [0, %rows], [%g_next, %more]"]
    for i in range(numbers):
        lines += [f"  %g{i} = add i64 %g, {i}", *_vector(str(i), f"%g{i}", lanes)]
    turned = emit_transpose("%t", [f"%v{i}" if i < numbers else "poison" for i in range(width)], lanes, lines)
    mask = f"<{', '.join(f'i1 {int(i < numbers)}' for i in range(width))}>"
    for k, row in enumerate(turned):
        lines.append(f"  %a{k} = getelementptr {lanes.scalar}, ptr %row{k}, i64 %g")
        if numbers == width:
            lines.append(f"  store {D} {row}, ptr %a{k}, align {align}")
        else:
            call = f"call void @llvm.masked.store.{lanes.mangled_type}.p0"
            lines.append(f"  {call}({D} {row}, ptr %a{k}, i32 {align}, {lanes.boolean} {mask})")
    return [
        *lines,
        f"  %is_last = icmp eq i64 %g, {last}",
        "  br i1 %is_last, label %end, label %more",
        "more:",
        f"  %g_on = add i64 %g, {width}",
        f"  %beyond = icmp sgt i64 %g_on, {last}",
        f"  %g_next = select i1 %beyond, i64 {last}, i64 %g_on",
        "  br label %square",
    ]


def _vector(name: str, entry: str, lanes: Lanes) -> list[str]:
    """Load an entry of all samples."""
    return [
        *_emit_look_up(name, entry, "%block"),
        f"  %v{name} = load {lanes.real}, ptr %b{name}, align {lanes.bytes}",
    ]


def _emit_look_up(name: str, entry: str, block: str) -> list[str]:
    """Look up where in the block an entry is."""
    return [
        f"  %q{name} = getelementptr i32, ptr %table, i64 {entry}",
        f"  %w{name} = load i32, ptr %q{name}, align 4",
        f"  %x{name} = zext i32 %w{name} to i64",
        f"  %b{name} = getelementptr i8, ptr {block}, i64 %x{name}",
    ]


def _numbers(lanes: Lanes, length: int, *, some: bool = False) -> list[str]:
    R, sample = lanes.scalar, ["  %s = add i64 %l, 0"]
    if some:
        sample = ["  %sa = getelementptr i64, ptr %samples, i64 %l", "  %s = load i64, ptr %sa"]
    return [
        "number:",
        f"  %n = phi i64 [0, %{'other' if lanes.width > 1 else 'entry'}], [%n_next, %step]",
        *_emit_look_up("n", "%n", "%block"),
        "  %n_far = mul i64 %n, %core",
        "  %n_at = getelementptr i8, ptr %array, i64 %n_far",
        "  br label %lane",
        "lane:",
        "  %l = phi i64 [0, %number], [%l_next, %lane]",
        *sample,
        "  %l_far = mul i64 %s, %outer",
        "  %to = getelementptr i8, ptr %n_at, i64 %l_far",
        f"  %from = getelementptr {R}, ptr %bn, i64 %l",
        f"  %x = load {R}, ptr %from, align {lanes.bytes}",
        f"  store {R} %x, ptr %to, align {lanes.bytes}",
        *_again("l", "lane", lanes.width, "step"),
        "step:",
        *_again("n", "number", length),
    ]


def _again(counter: str, label: str, count: int | str, after: str = "end") -> list[str]:
    return [
        f"  %{counter}_next = add i64 %{counter}, 1",
        f"  %{counter}_more = icmp slt i64 %{counter}_next, {count}",
        f"  br i1 %{counter}_more, label %{label}, label %{after}",
    ]


def emit_tile_columns(lanes: Lanes) -> str:
    """Return `@columns`: for each entry of a row the vectors of `TILE` blocks, one beside the other."""
    step = lanes.width * lanes.bytes
    arguments = "ptr %array, i64 %core, i64 %outer, ptr %block, i64 %pitch, i64 %length, ptr %table"
    lines = [f"define internal void @columns{lanes.tag}({arguments}) noinline {{", "entry:"]
    for t in range(1, TILE):
        lines += [f"  %beyond{t} = mul i64 %pitch, {t}"]
    lines += [
        "  br label %column",
        "column:",
        "  %i = phi i64 [0, %entry], [%i_next, %column]",
        *_vector("i", "%i", lanes),
        "  %far = mul i64 %i, %core",
        "  %at = getelementptr i8, ptr %array, i64 %far",
        f"  store {lanes.real} %vi, ptr %at, align {lanes.bytes}",
    ]
    for t in range(1, TILE):
        lines += [
            f"  %b{t} = getelementptr i8, ptr %bi, i64 %beyond{t}",
            f"  %at{t} = getelementptr i8, ptr %at, i64 {t * step}",
            f"  %v{t} = load {lanes.real}, ptr %b{t}, align {lanes.bytes}",
            f"  store {lanes.real} %v{t}, ptr %at{t}, align {lanes.bytes}",
        ]
    return "\n".join([*lines, *_again("i", "column", "%length"), "end:", "  ret void", "}"])
