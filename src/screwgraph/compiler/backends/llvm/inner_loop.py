"""The loop over samples, with the signature of NumPy's inner loops: (args, dimensions, steps, data)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from screwgraph.compiler.backends.llvm.allocation import emit_allocation
from screwgraph.compiler.backends.llvm.argument_pointers import ONE, ArgumentPointers, format_pointers
from screwgraph.compiler.backends.llvm.contiguous_results import emit_contiguity_test, emit_stride_loads
from screwgraph.compiler.backends.llvm.gather import TILE
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.sample_queues import (
    begin_queues,
    drop_block,
    join_queues,
    note_samples,
    take_last_samples,
)

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Operand:
    """An argument or a result: its core shape, and its numbers' places among the block's (-1: not used)."""

    shape: Shape
    places: tuple[int, ...]

    @property
    def is_run(self) -> bool:
        """Whether its numbers follow each other in the block, all of them used."""
        first = self.places[0] if self.places else 0
        return first >= 0 and self.places == tuple(range(first, first + len(self.places)))

    @cached_property
    def runs(self) -> list[tuple[int, int, int]]:
        """Stretches (flat index, place, length) that are consecutive in both, within one row of the last axis."""
        row = self.shape[-1] if self.shape else 1
        runs: list[tuple[int, int, int]] = []
        for flat, place in enumerate(self.places):
            if place < 0:
                continue
            if runs and flat % row:
                start, first, length = runs[-1]
                if start + length == flat and first + length == place:
                    runs[-1] = (start, first, length + 1)
                    continue
            runs.append((flat, place, 1))
        return runs


@dataclass(frozen=True)
class BlockLayout:
    """Blocks of so many samples, and where the numbers of arguments and results stand in them.

    The code of a block takes `pointers` to the arguments.
    """

    lanes: Lanes
    inputs: Sequence[Operand]
    outputs: Sequence[Operand]
    pointers: ArgumentPointers = ONE

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Numbers of a sample in a block of arguments, and of results."""
        return _size(self.inputs), _size(self.outputs)


def emit_inner_loop(
    wide: BlockLayout, single: BlockLayout, before_block: str = "", cache: int = 0, *, waits: bool = False
) -> str:
    """Return `@loop`: tiles and blocks of many samples as long as there are that many, then single samples.

    `before_block` names a function that looks at a block's inputs first. Results of more than `cache` bytes go past the
    caches. Where it `waits`, samples that take longer than others are computed together: `later_samples.py`.
    """
    operands = [*wide.inputs, *wide.outputs]
    tiled = wide.lanes.width > 1
    tile = wide.lanes.width * (TILE if tiled else 1)
    counts = [max(n * tile, one) for n, one in zip(wide.sizes, single.sizes, strict=True)]
    allocations = [
        emit_allocation(name, n, wide.lanes.scalar, wide.lanes.bytes)
        for name, n in zip(("in", "out"), counts, strict=True)
    ]
    lines = [
        "define void @loop(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {",
        "entry:",
        *(line for take, _ in allocations for line in take),
        "  %count = load i64, ptr %dimensions, align 8",
        *(begin_queues(wide.lanes) if waits else ()),
    ]
    core = len(operands)
    for i, operand in enumerate(operands):
        lines += _load("ptr", f"base{i}", "%args", i) + _load("i64", f"outer{i}", "%steps", i)
        lines.append(f"  %core{i} = getelementptr i64, ptr %steps, i64 {core}")
        for axis in range(len(operand.shape) if i < len(wide.inputs) else 0):
            lines += _load("i64", f"core{i}_{axis}", "%steps", core + axis)
        core += len(operand.shape)
    if _is_direct(single.outputs):
        lines += [f"  %core = getelementptr i64, ptr %core{len(wide.inputs)}, i64 0"]
        lines += [
            *emit_stride_loads(single.outputs[0].shape),
            *emit_contiguity_test(single.outputs[0].shape, single.lanes),
        ]
    past = "false"
    for i in range(len(wide.inputs), len(operands)):
        lines += [
            f"  %bytes{i} = mul i64 %count, %outer{i}",
            f"  %past{i} = icmp sgt i64 %bytes{i}, {cache}",
            f"  %past_to{i} = or i1 {past}, %past{i}",
        ]
        past = f"%past_to{i}"
    if tiled:
        first = "wide_begin" if waits else "wide_test"
        # Rows need no tiles; where there is no argument, the first result tells.
        lines += [
            f"  %columns = icmp eq i64 %outer0, {wide.lanes.bytes}",
            f"  br i1 %columns, label %tile_test, label %{first}",
        ]
        lines += _tiles(wide, before_block, first)
        before = "[0, %entry], [%k_tile, %tile_test]"
        lines += (
            _waiting_samples(wide, before, before_block)
            if waits
            else _samples("wide", wide, before, "single_test", before_block)
        )
    else:
        lines.append("  br label %single_test")
    begin = "[%k_wide, %left_end], [%k_wide, %left_go]" if waits else "[%k_wide, %wide_test]"
    lines += _singles(single, begin if tiled else "[0, %entry]", before_block)
    # What went past the caches must be there for other threads when this one says so.
    lines += ["end:", f"  br i1 {past}, label %settle, label %done", "settle:", "  fence seq_cst", "  br label %done"]
    return "\n".join([*lines, "done:", *(line for _, give in allocations for line in give), "  ret void", "}"])


def _samples(name: str, blocks: BlockLayout, before: str, after: str, before_block: str) -> list[str]:
    """Take as many samples at once as a block has, from where the loops before ended, while there are so many."""
    lanes = blocks.lanes
    lines = [
        *_head(name, lanes.width, f"{before}, [%next_{name}, %{name}]", after),
        *gather_operands(name, blocks.inputs, lanes, "gather"),
        *_block(lanes, ["%in"], "%out", before_block),
        *_puts(name, blocks, "put"),
    ]
    return [*lines, f"  br label %{name}_test"]


def _waiting_samples(blocks: BlockLayout, before: str, before_block: str) -> list[str]:
    """Take blocks as `_samples`; those of their samples that are left wait until they fill a block.

    What all samples have the same of is moved to the block once. Blocks of which some samples, not all, are expected to
    be left are not computed: their samples wait with their like.
    """
    lanes, (width, B, tag) = blocks.lanes, (blocks.lanes.width, f"i{blocks.lanes.width}", blocks.lanes.tag)
    look = [f"  call void @{before_block}{tag}(ptr %in)"] if before_block else []
    return [
        "wide_begin:",
        f"  %k_begin = phi i64 {before}",
        *gather_operands("begin", blocks.inputs, lanes, "gather_same"),
        "  br label %wide_test",
        *_head("wide", width, "[%k_begin, %wide_begin], [%next_wide, %left_test]", "fast_end"),
        *gather_operands("wide", blocks.inputs, lanes, "gather_own"),
        *look,
        f"  %foreseen = call {B} @expect{tag}(ptr %in)",
        f"  %none_foreseen = icmp eq {B} %foreseen, 0",
        f"  %all_foreseen = icmp eq {B} %foreseen, -1",
        "  %alike = or i1 %none_foreseen, %all_foreseen",
        "  %in_vain = xor i1 %patient, true",
        "  %whole = or i1 %alike, %in_vain",
        "  br i1 %whole, label %wide_block, label %wide_split",
        "wide_block:",
        "  %puts_off = and i1 %patient, %none_foreseen",
        f"  %undone = call {B} @patient_block{tag}(ptr %in, ptr %out, i1 %puts_off)",
        *_puts("wide", blocks, "put"),
        *note_samples("left", "note", f"i64 %k_wide, {B} %undone", "left", tag),
        "  br label %slow_test",
        "wide_split:",
        f"  %others = xor {B} %foreseen, -1",
        *note_samples("slow", "note", f"i64 %k_wide, {B} %foreseen", "foreseen", tag),
        *note_samples("fast", "note", f"i64 %k_wide, {B} %others", "others", tag),
        f"  %fast_full = icmp sge i64 %now_others, {width}",
        "  br i1 %fast_full, label %fast_do, label %slow_test",
        "fast_do:",
        f"  %also_left = call {B} @later{tag}(ptr %args, ptr %steps, ptr %fast, ptr %in, ptr %out, i1 true)",
        *note_samples("left", "note_some", f"ptr %fast, {B} %also_left", "also", tag),
        *drop_block("fast", width, "fast"),
        "  br label %slow_test",
        "slow_test:",
        "  %slow_now = load i64, ptr %slow_count",
        f"  %slow_full = icmp sge i64 %slow_now, {width}",
        "  br i1 %slow_full, label %slow_do, label %left_test",
        *_take_block("slow", "slow_test", lanes),
        "left_test:",
        "  %left_now = load i64, ptr %left_count",
        f"  %left_full = icmp sge i64 %left_now, {width}",
        "  br i1 %left_full, label %left_do, label %wide_test",
        *_take_block("left", "left_test", lanes),
        *take_last_samples("fast", "slow_end", lanes),
        *join_queues("slow", "left", "rest_test", lanes),
        "rest_test:",
        "  %rest_now = load i64, ptr %left_count",
        f"  %rest_full = icmp sge i64 %rest_now, {width}",
        "  br i1 %rest_full, label %rest_do, label %left_end",
        *_take_block("left", "left_end", lanes, "rest"),
        *take_last_samples("left", "single_test", lanes),
    ]


def _take_block(queue: str, after: str, lanes: Lanes, label: str = "") -> list[str]:
    """Compute the first block of samples of a queue, which wait no more, and drop it."""
    label, given = label or queue, f"ptr %args, ptr %steps, ptr %{queue}, ptr %in, ptr %out, i1 false"
    return [
        f"{label}_do:",
        f"  %none_{label} = call i{lanes.width} @later{lanes.tag}({given})",
        *drop_block(queue, lanes.width, label),
        f"  br label %{after}",
    ]


def _singles(blocks: BlockLayout, before: str, before_block: str) -> list[str]:
    """Take one sample after the other; vectors whose entries are neighbours are read, or an array written, in place."""
    rows, flat = _are_rows(blocks), _is_direct(blocks.outputs)
    if not (rows or flat):
        return _samples("single", blocks, before, "end", before_block)
    lines = _head("single", 1, f"{before}, [%next_single, %single_block], [%next_single, %single_put]", "end")
    sources = ["%in"]
    if rows:
        sources = [f"%from{i}" for i in range(len(blocks.inputs))]
        lines += [*_in_place(blocks), "  br i1 %rows, label %single_block, label %single_take", "single_take:"]
    lines += [
        *gather_operands("single", blocks.inputs, blocks.lanes, "gather"),
        "  br label %single_block",
        "single_block:",
    ]
    if flat:
        lines += [
            *point_to_sample("direct", len(blocks.inputs), "single"),
            "  %place = select i1 %flat, ptr %at_direct, ptr %out",
        ]
    return [
        *lines,
        *_block(blocks.lanes, sources, "%place" if flat else "%out", before_block),
        f"  br i1 {'%flat' if flat else 'false'}, label %single_test, label %single_put",
        "single_put:",
        *_puts("single", blocks, "put"),
        "  br label %single_test",
    ]


def _in_place(blocks: BlockLayout) -> list[str]:
    """Tell whether entries of all vectors are neighbours, `%rows`: then each is read where it is, else in a copy."""
    lines, copies = blocks.pointers.into("%in", "copied", blocks.lanes)
    so_far = "true"
    for i in range(len(copies)):
        lines += [
            *point_to_sample(f"source{i}", i, "single"),
            f"  %is_row{i} = icmp eq i64 %core{i}_0, {blocks.lanes.bytes}",
            f"  %rows{i} = and i1 {so_far}, %is_row{i}",
        ]
        so_far = f"%rows{i}"
    lines.append(f"  %rows = and i1 {so_far}, true")
    return lines + [f"  %from{i} = select i1 %rows, ptr %at_source{i}, ptr {copy}" for i, copy in enumerate(copies)]


def _are_rows(blocks: BlockLayout) -> bool:
    """Whether the code of a block has a pointer to each argument, all of which are vectors."""
    apart = len(blocks.pointers.starts) == len(blocks.inputs)
    return apart and all(len(operand.shape) == 1 and operand.is_run for operand in blocks.inputs)


def _is_direct(operands: Sequence[Operand]) -> bool:
    """Whether a block's numbers stand as they do in one array whose entries are neighbours."""
    return len(operands) == 1 and operands[0].places == tuple(range(prod(operands[0].shape)))


def _tiles(blocks: BlockLayout, before_block: str, after: str) -> list[str]:
    """Take `TILE` blocks at once, while there are so many, then go on at a label."""
    lanes, (inputs, outputs) = blocks.lanes, blocks.sizes
    return [
        *_head("tile", lanes.width * TILE, "[0, %entry], [%next_tile, %tile_end]", after),
        *gather_operands("tile", blocks.inputs, lanes, "gather_tile", f", i64 {inputs}"),
        "  br label %tile_block",
        "tile_block:",
        "  %t = phi i64 [0, %tile], [%t_next, %tile_block]",
        f"  %in_away = mul i64 %t, {inputs}",
        f"  %out_away = mul i64 %t, {outputs}",
        f"  %in_t = getelementptr {lanes.real}, ptr %in, i64 %in_away",
        f"  %out_t = getelementptr {lanes.real}, ptr %out, i64 %out_away",
        *_block(lanes, ["%in_t"], "%out_t", before_block),
        "  %t_next = add i64 %t, 1",
        f"  %t_more = icmp slt i64 %t_next, {TILE}",
        "  br i1 %t_more, label %tile_block, label %tile_end",
        "tile_end:",
        *_puts("tile", blocks, "put_tile", f"i64 {outputs}, "),
        "  br label %tile_test",
    ]


def _block(lanes: Lanes, inputs: Sequence[str], outputs: str, before_block: str) -> list[str]:
    given = format_pointers(inputs)
    look = [f"  call void @{before_block}{lanes.tag}({given})"] if before_block else []
    return [*look, f"  call void @block{lanes.tag}({given}, ptr {outputs})"]


def _head(name: str, step: int, incoming: str, after: str) -> list[str]:
    return [
        f"{name}_test:",
        f"  %k_{name} = phi i64 {incoming}",
        f"  %next_{name} = add i64 %k_{name}, {step}",
        f"  %more_{name} = icmp sle i64 %next_{name}, %count",
        f"  br i1 %more_{name}, label %{name}, label %{after}",
        f"{name}:",
    ]


def stretch_lengths(operands: Sequence[Operand]) -> list[int]:
    """Return the lengths of all stretches that are gathered at once, each once."""
    return sorted({length for operand in operands for _, _, length in operand.runs})


def _size(operands: Sequence[Operand]) -> int:
    return max((place + 1 for operand in operands for place in operand.places), default=1) or 1


def _load(kind: str, name: str, array: str, index: int) -> list[str]:
    return [
        f"  %at_{name} = getelementptr i64, ptr {array}, i64 {index}",
        f"  %{name} = load {kind}, ptr %at_{name}, align 8",
    ]


def gather_operands(name: str, inputs: Sequence[Operand], lanes: Lanes, move: str, more: str = "") -> list[str]:
    """Move arguments' numbers to the block; runs of neighbouring places go together."""
    lines = []
    for index, operand in enumerate(inputs):
        tag = f"{name}{index}"
        lines += point_to_sample(tag, index, name)
        for run, (flat, place, length) in enumerate(operand.runs):
            here = f"{tag}_{run}"
            position = f"%at_{tag}"
            for axis, coordinate in enumerate(_unflatten(flat, operand.shape)):
                if coordinate:
                    lines.append(f"  %o_{here}_{axis} = mul i64 %core{index}_{axis}, {coordinate}")
                    lines.append(f"  %q_{here}_{axis} = getelementptr i8, ptr {position}, i64 %o_{here}_{axis}")
                    position = f"%q_{here}_{axis}"
            stride = f"%core{index}_{len(operand.shape) - 1}" if operand.shape else "0"  # of one number
            lines.append(f"  %m_{here} = getelementptr {lanes.real}, ptr %in, i64 {place}")
            arguments = f"ptr {position}, i64 {stride}, i64 %outer{index}, ptr %m_{here}{more}"
            lines.append(f"  call void @{move}{lanes.tag}_{length}({arguments})")
    return lines


def _puts(name: str, blocks: BlockLayout, put: str, more: str = "") -> list[str]:
    """Move results from the block to their arrays."""
    lines, tag = [], blocks.lanes.tag
    for k in range(len(blocks.outputs)):
        index = len(blocks.inputs) + k
        here = f"{name}{index}"
        arguments = f"ptr %at_{here}, i64 %outer{index}, ptr %core{index}, ptr %out, {more}i1 %past{index}"
        lines += [*point_to_sample(here, index, name), f"  call void @{put}{tag}_{k}({arguments})"]
    return lines


def point_to_sample(tag: str, index: int, name: str) -> list[str]:
    """Point to an operand's numbers of the first sample of a block."""
    return [
        f"  %off_{tag} = mul i64 %k_{name}, %outer{index}",
        f"  %at_{tag} = getelementptr i8, ptr %base{index}, i64 %off_{tag}",
    ]


def _unflatten(flat: int, shape: Shape) -> list[int]:
    coordinates = []
    for size in reversed(shape):
        coordinates.append(flat % size)
        flat //= size
    return coordinates[::-1]
