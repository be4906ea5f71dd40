"""Results of a block to NumPy's arrays, where the same number of all samples stands together in the block.

Large results are copied past the caches: they would only be read into these to be overwritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from screwgraph.compiler.backends.llvm.allocation import LINE, emit_allocation
from screwgraph.compiler.backends.llvm.contiguous_results import emit_contiguity_test, emit_stride_loads
from screwgraph.compiler.backends.llvm.gather import TILE
from screwgraph.compiler.backends.llvm.inner_loop import Operand
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.scatter import emit_scatter, emit_tile_columns

WORTH_STREAMING = 2048
"""Bytes of a block's results from which on they may go past the caches: its first and last line do not."""


def emit_result_stores(outputs: Sequence[Operand], lanes: Lanes) -> str:
    """Return `@put_<k>(array, outer, core, block, away)` for result k: where it begins, and strides as NumPy's.

    `core` points to the strides within a sample. With `away`, and vectors, what is neighbours all over goes past the
    caches. For vectors also `@put_tile_<k>(array, outer, core, block, pitch, away)`, of `TILE` blocks that are `pitch`
    apart.
    """
    lengths = sorted({length for output in outputs for length in (prod(output.shape), _row(output))})
    parts = [emit_scatter(lanes, length) for length in lengths if length]
    if lanes.width > 1:
        parts.append(
            f"declare void @llvm.masked.store.{lanes.mangled_type}.p0({lanes.real}, ptr, i32, {lanes.boolean})"
        )
        parts += [emit_tile_columns(lanes), emit_streaming_copy(lanes)]
    for k, output in enumerate(outputs):
        parts += [_table(k, output, lanes), _emit_store(k, output, lanes)]
        parts += [_put_tile(k, output, lanes)] if lanes.width > 1 else []
    return "\n".join(parts)


def emit_streaming_copy(lanes: Lanes) -> str:
    """Return `@stream(to, from, bytes)`, for at least one line: the whole lines in it go past the caches."""
    lines = [
        f"define internal void @stream{lanes.tag}(ptr noalias %to, ptr noalias %from, i64 %bytes) noinline {{",
        "entry:",
        "  %address = ptrtoint ptr %to to i64",
        "  %negative = sub i64 0, %address",
        f"  %first = and i64 %negative, {LINE - 1}",
        "  %left = sub i64 %bytes, %first",
        f"  %whole = and i64 %left, {-LINE}",
        "  %last = add i64 %first, %whole",
        "  br label %head",
        *_emit_copy("head", ("0", "%first"), ("entry", "lines"), lanes, past=False),
        *_emit_copy("lines", ("%first", "%last"), ("head", "tail"), lanes, past=True),
        *_emit_copy("tail", ("%last", "%bytes"), ("lines", "end"), lanes, past=False),
        "end:",
        "  ret void",
        "}",
        "!1 = !{i32 1}",
    ]
    return "\n".join(lines)


def _emit_copy(name: str, within: tuple[str, str], blocks: tuple[str, str], lanes: Lanes, *, past: bool) -> list[str]:
    """Copy from byte to byte, a line past the caches or a number at once; it stands between two blocks of code."""
    D = lanes.real if past else lanes.scalar
    step = lanes.width * lanes.bytes if past else lanes.bytes
    count, mark = (LINE // step, ", !nontemporal !1") if past else (1, "")
    lines = [
        f"{name}:",
        f"  %{name}_k = phi i64 [{within[0]}, %{blocks[0]}], [%{name}_next, %{name}_step]",
        f"  %{name}_more = icmp slt i64 %{name}_k, {within[1]}",
        f"  br i1 %{name}_more, label %{name}_step, label %{blocks[1]}",
        f"{name}_step:",
    ]
    for part in range(count):
        here = f"{name}{part}"
        lines += [
            f"  %{here} = add i64 %{name}_k, {part * step}",
            f"  %{here}_from = getelementptr i8, ptr %from, i64 %{here}",
            f"  %{here}_to = getelementptr i8, ptr %to, i64 %{here}",
            f"  %{here}_value = load {D}, ptr %{here}_from, align {lanes.bytes}",
            f"  store {D} %{here}_value, ptr %{here}_to, align {step}{mark}",
        ]
    return [*lines, f"  %{name}_next = add i64 %{name}_k, {step * count}", f"  br label %{name}"]


def _streams(output: Operand, lanes: Lanes) -> bool:
    """Tell whether a result may go past the caches."""
    return lanes.width > 1 and prod(output.shape) * lanes.width * lanes.bytes >= WORTH_STREAMING


def _row(output: Operand) -> int:
    return output.shape[-1] if output.shape else 1


def _table(k: int, output: Operand, lanes: Lanes) -> str:
    """Say how many bytes away in the block each entry is."""
    size = lanes.width * lanes.bytes
    entries = ", ".join(f"i32 {place * size}" for place in output.places)
    return f"@places{lanes.tag}_{k} = private constant [{len(output.places)} x i32] [{entries}], align 64"


def _emit_store(k: int, output: Operand, lanes: Lanes) -> str:
    size, table, tag = prod(output.shape), f"@places{lanes.tag}_{k}", lanes.tag
    head = f"define internal void @put{tag}_{k}(ptr %array, i64 %outer, ptr %core, ptr %block, i1 %away) noinline {{"
    lines = [head, "entry:"]
    if not size:
        return "\n".join([*lines, "  ret void", "}"])
    lines += [
        *emit_stride_loads(output.shape),
        *emit_contiguity_test(output.shape, lanes),
        "  br i1 %flat, label %whole, label %parts",
        "whole:",
    ]
    if _streams(output, lanes):
        row, (take, give) = size * lanes.bytes, emit_allocation("rows", size * lanes.width, lanes.scalar, lanes.bytes)
        lines += [
            f"  %close = icmp eq i64 %outer, {row}",
            "  %past = and i1 %close, %away",
            "  br i1 %past, label %stream, label %near",
            "stream:",
            *take,
            f"  call void @scatter{tag}_{size}(ptr %rows, i64 {lanes.bytes}, i64 {row}, ptr %block, ptr {table})",
            f"  call void @stream{tag}(ptr %array, ptr %rows, i64 {row * lanes.width})",
            *give,
            "  ret void",
            "near:",
        ]
    if lanes.width == 1 and output.is_run:
        moved = f"ptr %array, ptr %from, i64 {size * lanes.bytes}, i1 false"
        copy = [
            f"  %from = getelementptr {lanes.scalar}, ptr %block, i64 {output.places[0]}",
            f"  call void @llvm.memcpy.p0.p0.i64({moved})",
        ]
    else:
        core = f"i64 {lanes.bytes}"
        copy = [f"  call void @scatter{tag}_{size}(ptr %array, {core}, i64 %outer, ptr %block, ptr {table})"]
    return "\n".join(
        [
            *lines,
            *copy,
            "  ret void",
            "parts:",
            *_each_row(output, lanes, f"@scatter{tag}_{_row(output)}", "ptr %block", table),
        ]
    )


def _put_tile(k: int, output: Operand, lanes: Lanes) -> str:
    tag, step = lanes.tag, lanes.width * lanes.bytes
    arguments = "ptr %array, i64 %outer, ptr %core, ptr %block, i64 %pitch, i1 %away"
    lines = [f"define internal void @put_tile{tag}_{k}({arguments}) noinline {{", "entry:"]
    if not prod(output.shape):
        return "\n".join([*lines, "  ret void", "}"])
    lines += [
        *emit_stride_loads(output.shape),
        f"  %pitch_bytes = mul i64 %pitch, {step}",
        f"  %together = icmp eq i64 %outer, {lanes.bytes}",
        "  br i1 %together, label %columns, label %tiles",
        "tiles:",
    ]
    for t in range(TILE):
        lines += [
            f"  %far{t} = mul i64 %outer, {t * lanes.width}",
            f"  %array{t} = getelementptr i8, ptr %array, i64 %far{t}",
            f"  %beyond{t} = mul i64 %pitch_bytes, {t}",
            f"  %block{t} = getelementptr i8, ptr %block, i64 %beyond{t}",
            f"  call void @put{tag}_{k}(ptr %array{t}, i64 %outer, ptr %core, ptr %block{t}, i1 %away)",
        ]
    lines += ["  ret void", "columns:"]
    row = _each_row(
        output, lanes, f"@columns{tag}", f"ptr %block, i64 %pitch_bytes, i64 {_row(output)}", f"@places{tag}_{k}"
    )
    return "\n".join([*lines, *row])


def _each_row(output: Operand, lanes: Lanes, function: str, block: str, table: str) -> list[str]:
    """Call a function for each row of the last axis, wherever it is."""
    rows, before = prod(output.shape[:-1]), "columns" if "columns" in function else "parts"
    lines = [
        "  br label %row",
        "row:",
        f"  %r = phi i64 [0, %{before}], [%r_next, %row]",
    ]
    position, below = "%array", rows
    for axis, size in enumerate(output.shape[:-1]):
        below //= size
        lines += [
            f"  %over{axis} = udiv i64 %r, {below}",
            f"  %c{axis} = urem i64 %over{axis}, {size}",
            f"  %away{axis} = mul i64 %c{axis}, %s{axis}",
            f"  %p{axis} = getelementptr i8, ptr {position}, i64 %away{axis}",
        ]
        position = f"%p{axis}"
    last = max(len(output.shape) - 1, 0)
    return [
        *lines,
        f"  %first = mul i64 %r, {_row(output)}",
        f"  %table = getelementptr i32, ptr {table}, i64 %first",
        f"  call void {function}(ptr {position}, i64 %s{last}, i64 %outer, {block}, ptr %table)",
        "  %r_next = add i64 %r, 1",
        f"  %r_more = icmp slt i64 %r_next, {rows}",
        "  br i1 %r_more, label %row, label %end",
        "end:",
        "  ret void",
        "}",
    ]
