"""Moving numbers from NumPy's arrays to blocks, where the same number of all samples stands together.

Where samples are neighbours in memory, vectors move as they are. Where the numbers of a sample are neighbours, rows
of the array are loaded and transposed in registers, and copied for one sample. Any other strides: number by number.
"""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler.backends.llvm.ir_text import Lanes

TILE = 4
"""Blocks that move together where samples are neighbours: arrays whose columns are a power of two apart share few
lines of the caches, and what is read in passing beside a line is gone when its block's turn comes."""


def emit_gather(lanes: Lanes, lengths: Sequence[int]) -> str:
    """Return `@gather_<length>`, for stretches of so many numbers of each sample.

    For vectors also `@gather_tile_<length>`, of `TILE` blocks that are `pitch` apart.
    """
    D, parts = lanes.real, []
    if lanes.width > 1:
        parts.append(f"declare {D} @llvm.masked.load.{lanes.mangled_type}.p0(ptr, i32, {lanes.boolean}, {D})")
    for length in lengths:
        parts.append(_gather(lanes, length))
        if lanes.width > 1:
            parts.append(_gather_tile(lanes, length))
    return "\n".join(parts)


def emit_gather_some(lanes: Lanes, lengths: Sequence[int]) -> str:
    """Return `@gather_some_<length>(..., samples)`, which gathers the samples whose numbers are in a list."""
    texts = []
    for length in lengths:
        arguments = "ptr %array, i64 %core, i64 %outer, ptr %block, ptr %samples"
        lines = [
            f"define internal void @gather_some{lanes.tag}_{length}({arguments}) noinline {{",
            "other:",
            f"  %numbers_together = icmp eq i64 %core, {lanes.bytes}",
            "  br i1 %numbers_together, label %rows, label %number",
            *_rows(lanes, length, emit_sample_loads(lanes)),
            *_each(lanes, length, some=True),
        ]
        texts.append("\n".join(lines))
    return "\n".join(texts)


def emit_sample_loads(lanes: Lanes) -> list[str]:
    """Load the numbers of all samples of a list."""
    lines = []
    for k in range(lanes.width):
        lines += [f"  %sp{k} = getelementptr i64, ptr %samples, i64 {k}", f"  %s{k} = load i64, ptr %sp{k}"]
    return lines


def _gather(lanes: Lanes, length: int) -> str:
    arguments = "ptr %array, i64 %core, i64 %outer, ptr %block"
    lines = [f"define internal void @gather{lanes.tag}_{length}({arguments}) noinline {{", "entry:"]
    if lanes.width == 1:
        lines += [
            f"  %numbers_together = icmp eq i64 %core, {lanes.bytes}",
            "  br i1 %numbers_together, label %copy, label %number",
            "copy:",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %block, ptr %array, i64 {length * lanes.bytes}, i1 false)",
            "  ret void",
        ]
    else:
        lines += [
            f"  %samples_together = icmp eq i64 %outer, {lanes.bytes}",
            "  br i1 %samples_together, label %columns, label %other",
            "other:",
            f"  %numbers_together = icmp eq i64 %core, {lanes.bytes}",
            "  br i1 %numbers_together, label %rows, label %number",
            *_columns(lanes, length),
            *_rows(lanes, length),
        ]
    return "\n".join([*lines, *_each(lanes, length)])


def _gather_tile(lanes: Lanes, length: int) -> str:
    D, signature = lanes.real, "ptr %array, i64 %core, i64 %outer, ptr %block, i64 %pitch"
    lines = [
        f"define internal void @gather_tile{lanes.tag}_{length}({signature}) noinline {{",
        "entry:",
        f"  %samples_together = icmp eq i64 %outer, {lanes.bytes}",
    ]
    for t in range(TILE):
        lines += [
            f"  %far{t} = mul i64 %outer, {t * lanes.width}",
            f"  %array{t} = getelementptr i8, ptr %array, i64 %far{t}",
        ]
        lines += [f"  %away{t} = mul i64 %pitch, {t}", f"  %block{t} = getelementptr {D}, ptr %block, i64 %away{t}"]
    lines.append("  br i1 %samples_together, label %columns, label %other")
    lines += [*_columns(lanes, length, TILE), "other:"]
    for t in range(TILE):
        arguments = f"ptr %array{t}, i64 %core, i64 %outer, ptr %block{t}"
        lines.append(f"  call void @gather{lanes.tag}_{length}({arguments})")
    return "\n".join([*lines, "  ret void", "}"])


def _columns(lanes: Lanes, length: int, tiles: int = 1) -> list[str]:
    """Vectors of samples, for each number one from every block."""
    D, lines = lanes.real, ["columns:"]
    for i in range(length):
        lines.append(f"  %co{i} = mul i64 %core, {i}")
        for t in range(tiles):
            here, n = f"{i}_{t}", t if tiles > 1 else ""
            lines.append(f"  %cp{here} = getelementptr i8, ptr %array{n}, i64 %co{i}")
            lines.append(f"  %cb{here} = getelementptr {D}, ptr %block{n}, i64 {i}")
            lines.append(f"  %cv{here} = load {D}, ptr %cp{here}, align {lanes.bytes}")
            lines.append(f"  store {D} %cv{here}, ptr %cb{here}, align {lanes.bytes}")
    return [*lines, "  ret void"]


def _rows(lanes: Lanes, length: int, samples: Sequence[str] = ()) -> list[str]:
    """Squares of as many numbers as samples; the last overlaps the one before it, or is cut by a mask.

    They are neighbours, or those that lines `samples` load.
    """
    width, lines = lanes.width, ["rows:", *samples]
    lines += [f"  %ro{k} = mul i64 %outer, {f'%s{k}' if samples else k}" for k in range(width)]
    lines += [f"  %rp{k} = getelementptr i8, ptr %array, i64 %ro{k}" for k in range(width)]
    starts = [*range(0, length - width + 1, width)]
    if length % width:
        starts.append(max(length - width, 0))
    for start in starts:
        lines += _square(lanes, start, min(width, length))
    return [*lines, "  ret void"]


def _square(lanes: Lanes, start: int, numbers: int) -> list[str]:
    D, B, width, align = lanes.real, lanes.boolean, lanes.width, lanes.bytes
    mask = f"<{', '.join(f'i1 {int(i < numbers)}' for i in range(width))}>"
    lines = [f"  %a{start}_{k} = getelementptr {lanes.scalar}, ptr %rp{k}, i64 {start}" for k in range(width)]
    lines += [f"  %b{start}_{i} = getelementptr {D}, ptr %block, i64 {start + i}" for i in range(numbers)]
    rows = [f"%r{start}_{k}" for k in range(width)]
    for k, row in enumerate(rows):
        if numbers == width:
            lines.append(f"  {row} = load {D}, ptr %a{start}_{k}, align {align}")
        else:
            call = f"call {D} @llvm.masked.load.{lanes.mangled_type}.p0"
            lines.append(f"  {row} = {call}(ptr %a{start}_{k}, i32 {align}, {B} {mask}, {D} poison)")
    turned = emit_transpose(f"%t{start}", rows, lanes, lines)
    return lines + [f"  store {D} {turned[i]}, ptr %b{start}_{i}, align {align}" for i in range(numbers)]


def emit_transpose(prefix: str, rows: Sequence[str], lanes: Lanes, lines: list[str]) -> list[str]:
    """Transpose a square in log2(width) steps, which add lines: each swaps blocks beside the diagonal."""
    D, width = lanes.real, lanes.width
    rows, distance = list(rows), 1
    while distance < width:
        turned = list(rows)
        for i in range(width):
            if i & distance:
                continue
            first = [j if not j & distance else width + j - distance for j in range(width)]
            second = [j + distance if not j & distance else width + j for j in range(width)]
            for target, picked in ((i, first), (i + distance, second)):
                name = f"{prefix}_{distance}_{target}"
                mask = ", ".join(f"i32 {p}" for p in picked)
                pair = f"{D} {rows[i]}, {D} {rows[i + distance]}"
                lines.append(f"  {name} = shufflevector {pair}, <{width} x i32> <{mask}>")
                turned[target] = name
        rows, distance = turned, distance * 2
    return rows


def _each(lanes: Lanes, length: int, *, some: bool = False) -> list[str]:
    R, D = lanes.scalar, lanes.real
    sample = (
        "  %sa = getelementptr i64, ptr %samples, i64 %l\n  %s = load i64, ptr %sa" if some else "  %s = add i64 %l, 0"
    )
    before = "%entry" if lanes.width == 1 else "%other"
    return f"""number:
  %i = phi i64 [0, {before}], [%i_next, %step]
  %o = mul i64 %i, %core
  %p = getelementptr i8, ptr %array, i64 %o
  %b = getelementptr {D}, ptr %block, i64 %i
  br label %lane
lane:
  %l = phi i64 [0, %number], [%l_next, %lane]
{sample}
  %lo = mul i64 %s, %outer
  %pl = getelementptr i8, ptr %p, i64 %lo
  %bl = getelementptr {R}, ptr %b, i64 %l
  %x = load {R}, ptr %pl, align {lanes.bytes}
  store {R} %x, ptr %bl, align {lanes.bytes}
  %l_next = add i64 %l, 1
  %l_more = icmp slt i64 %l_next, {lanes.width}
  br i1 %l_more, label %lane, label %step
step:
  %i_next = add i64 %i, 1
  %more = icmp slt i64 %i_next, {length}
  br i1 %more, label %number, label %end
end:
  ret void
}}""".splitlines()
