"""Batches in blocks: each number of as many samples as a line of the caches holds, side by side in the arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from screwgraph.compiler.backends.llvm.allocation import LINE, emit_allocation
from screwgraph.compiler.backends.llvm.argument_pointers import ONE
from screwgraph.compiler.backends.llvm.assembly import Arguments, emit_declarations, make_operands
from screwgraph.compiler.backends.llvm.domain_counter import (
    COUNTER,
    EVERYTHING,
    Domains,
    emit_domain_counter,
    place_checked,
)
from screwgraph.compiler.backends.llvm.gufunc import install_counter, make_ufunc
from screwgraph.compiler.backends.llvm.inner_loop import Operand, Shape
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import compile_tiered, vector_width
from screwgraph.compiler.backends.llvm.result_store import emit_streaming_copy
from screwgraph.compiler.backends.llvm.routine import emit_routine
from screwgraph.compiler.backends.llvm.sample_block import emit_block
from screwgraph.compiler.cache import pack_code
from screwgraph.compiler.passes.outlining import WHOLE
from screwgraph.compiler.passes.output_scheduling import schedule_by_output
from screwgraph.tape import Code, Routine

LONG = 30_000
"""A program of up to so many instructions stays in one piece, where rows' code is cut from 12 000 on.

Vectors that wait for another piece lie in memory: 23 000 operations took 1680 ns in pieces, 1210 in one, which takes a
third to two thirds longer to compile.
"""
STRIDED = "strided"
"""The name of a pointer to the counter of calls whose arrays are not in blocks, or not of neighbours."""


@dataclass(frozen=True, eq=False)
class CompiledBlocks:
    """A gufunc of arrays `(..., *shape, samples)`; several results are one `(..., k, samples)` of all their numbers.

    Within a block, numbers of arguments and of the result must be neighbours: else nothing is computed, and `strided`
    grows. `outside` counts as that of `Compiled`.
    """

    ufunc: np.ufunc
    outside: ctypes.c_int64
    strided: ctypes.c_int64


def compile_blocks(
    name: str,
    program: Code,
    arguments: Arguments,
    results: Sequence[Shape],
    dtype: str,
    domains: Domains = EVERYTHING,
    *,
    past: bool = False,
) -> CompiledBlocks:
    """Compile a program for batches in blocks; results that go `past` the caches begin at a line of theirs."""
    samples, counter, strided = LINE // np.dtype(dtype).itemsize, ctypes.c_int64(), ctypes.c_int64()
    question = ("blocks", pack_code(program), arguments, results, dtype, past, domains)

    def source(whole: int) -> str:
        bits = 8 * np.dtype(dtype).itemsize
        lanes = Lanes(vector_width() * 64 // bits, bits, samples, past)
        most = LONG if whole == WHOLE else whole  # drafts are cut
        return emit_blocked_assembly(program, *make_operands(program, arguments, results), lanes, domains, most)

    def begin(engine: Any) -> None:
        install_counter(strided, engine, STRIDED)
        if not domains.is_everything:
            install_counter(counter, engine)

    weight = 0 if isinstance(program, Routine) else samples
    code = compile_tiered(question, source, ("loop",), weight=weight, begin=begin)
    cores = [(*shape, samples) for shape, _ in arguments]
    whole = (*results[0], samples) if len(results) == 1 else (sum(prod(shape) for shape in results), samples)
    ufunc = make_ufunc(name, cores, [whole], np.dtype(dtype), code, (counter, strided))
    return CompiledBlocks(ufunc, counter, strided)


def emit_blocked_assembly(
    program: Code,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    lanes: Lanes,
    domains: Domains = EVERYTHING,
    whole: int = WHOLE,
) -> str:
    """Return the LLVM assembly of a program and its loop over blocks."""
    inputs = place_checked(inputs, domains)
    plain, single = Lanes(lanes.width, lanes.bits), Lanes(1, lanes.bits)
    kinds = tuple(dict.fromkeys((plain, single)))
    parts = emit_declarations(program, kinds)
    if isinstance(program, Routine):
        parts += [emit_routine(program, each, whole) for each in kinds] + [_emit_compaction(plain, lanes.sample_stride)]
        in_place = not lanes.past
    else:
        in_place = not lanes.past or lanes.width == lanes.sample_stride
        kept = lanes if in_place else Lanes(lanes.width, lanes.bits, lanes.sample_stride)
        ordered = schedule_by_output(program)
        parts += [emit_block(ordered, kept, whole=whole), emit_block(program, single, whole=whole)]
    if not domains.is_everything:
        parts += [emit_domain_counter(inputs, domains, lanes, ONE), f"@{COUNTER} = global ptr null"]
    parts += [emit_streaming_copy(plain)] if lanes.past else []
    parts += [
        f"@{STRIDED} = global ptr null",
        _loop(inputs, outputs, lanes, domains, compact=isinstance(program, Routine), in_place=in_place),
    ]
    return "\n".join([*parts, '!0 = !{!"branch_weights", i32 1, i32 1000000}'])


def _loop(
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    lanes: Lanes,
    domains: Domains,
    *,
    compact: bool,
    in_place: bool,
) -> str:
    """Return `@loop`, of NumPy's signature: one block after the other, as many vectors at a time as it has.

    Code that is `compact` knows blocks of a vector's samples only. Results that are not computed `in_place` are
    computed in memory that stays in the caches.
    """
    count, numbers = len(inputs), sum(prod(operand.shape) for operand in outputs)
    places = [place for operand in inputs for place in operand.places]
    direct = count == 1 and places == list(range(len(places)))
    taken = max(places, default=0) + 1
    size = lanes.sample_stride * lanes.bytes
    allocations = [] if direct else [emit_allocation("copied", taken * lanes.sample_stride, lanes.scalar, lanes.bytes)]
    allocations += (
        [emit_allocation("near", numbers * lanes.sample_stride, lanes.scalar, lanes.bytes)]
        if lanes.past or not in_place
        else []
    )
    turned = compact and lanes.width < lanes.sample_stride
    if turned:
        allocations += [
            emit_allocation(n, k, lanes.real, lanes.width * lanes.bytes)
            for n, k in (("one_in", taken), ("one_out", numbers))
        ]
    lines = [
        "define void @loop(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {",
        "entry:",
        *(line for take, _ in allocations for line in take),
        "  %count = load i64, ptr %dimensions, align 8",
    ]
    for i in range(count + 1):
        for name, kind, array in ((f"base{i}", "ptr", "%args"), (f"outer{i}", "i64", "%steps")):
            lines.append(f"  %at_{name} = getelementptr i64, ptr {array}, i64 {i}")
            lines.append(f"  %{name} = load {kind}, ptr %at_{name}, align 8")
    shapes = [operand.shape for operand in inputs] + [outputs[0].shape if len(outputs) == 1 else (numbers,)]
    lines += [
        *_emit_stride_check([(*shape, lanes.sample_stride) for shape in shapes], lanes.bytes),
        "run:",
        "  br label %test",
        "test:",
        "  %k = phi i64 [0, %run], [%next, %done]",
        "  %next = add i64 %k, 1",
        "  %more = icmp slt i64 %k, %count",
        "  br i1 %more, label %body, label %end",
        "body:",
    ]
    for i in range(count + 1):
        lines += [f"  %off{i} = mul i64 %k, %outer{i}", f"  %here{i} = getelementptr i8, ptr %base{i}, i64 %off{i}"]
    source, target = "%here0" if direct else "%copied", f"%here{count}" if in_place else "%near"
    lines += [] if direct else _emit_copy(inputs, size)
    if in_place and lanes.past:  # an array of others may begin anywhere
        target = "%place"
        lines += [
            f"  %address = ptrtoint ptr %here{count} to i64",
            f"  %beyond = and i64 %address, {LINE - 1}",
            "  %starts = icmp eq i64 %beyond, 0",
            f"  %place = select i1 %starts, ptr %here{count}, ptr %near",
        ]
    for half in range(lanes.sample_stride // lanes.width):
        away = half * lanes.width * lanes.bytes
        lines.append(f"  %in{half} = getelementptr i8, ptr {source}, i64 {away}")
        lines.append(f"  %out{half} = getelementptr i8, ptr {target}, i64 {away}")
        lines += [] if domains.is_everything else [f"  call void @domains{lanes.tag}(ptr %in{half})"]
        if turned:
            lines += [
                f"  call void @compact(ptr %one_in, ptr %in{half}, i64 {taken})",
                f"  call void @block{lanes.tag}(ptr %one_in, ptr %one_out)",
                f"  call void @spread(ptr %out{half}, ptr %one_out, i64 {numbers})",
            ]
        else:
            lines.append(f"  call void @block{lanes.tag}(ptr %in{half}, ptr %out{half})")
    stream_near = f"  call void @stream{lanes.tag}(ptr %here{count}, ptr %near, i64 {numbers * size})"
    if in_place and lanes.past:
        lines += ["  br i1 %starts, label %done, label %away", "away:", stream_near, "  br label %done"]
    else:
        lines += ([stream_near] if lanes.past else []) + ["  br label %done"]
    # What went past the caches must be there for other threads when this one says so.
    fence = ["  fence seq_cst"] if lanes.past else []
    gives = [line for _, give in allocations for line in give]
    return "\n".join([*lines, "done:", "  br label %test", "end:", *fence, *gives, "  ret void", "}"])


def _emit_stride_check(cores: Sequence[Shape], size: int) -> list[str]:
    """Count, and do nothing, where the numbers of some block are not neighbours."""
    lines, step, run = [], len(cores), "true"
    for core in cores:
        for axis in range(len(core)):
            if core[axis] > 1:
                lines += [
                    f"  %at_step{step} = getelementptr i64, ptr %steps, i64 {step}",
                    f"  %step{step} = load i64, ptr %at_step{step}, align 8",
                    f"  %is{step} = icmp eq i64 %step{step}, {size * prod(core[axis + 1 :])}",
                    f"  %run{step} = and i1 {run}, %is{step}",
                ]
                run = f"%run{step}"
            step += 1
    return [
        *lines,
        f"  br i1 {run}, label %run, label %strided",
        "strided:",
        f"  %counter = load ptr, ptr @{STRIDED}, align 8",
        "  %before = atomicrmw add ptr %counter, i64 1 monotonic",
        "  br label %end",
    ]


def _emit_copy(inputs: Sequence[Operand], size: int) -> list[str]:
    """Copy the numbers of several arguments to one block."""
    lines = []
    for i, operand in enumerate(inputs):
        for flat, place, length in operand.runs:
            here = f"{i}_{flat}"
            lines += [
                f"  %from{here} = getelementptr i8, ptr %here{i}, i64 {flat * size}",
                f"  %to{here} = getelementptr i8, ptr %copied, i64 {place * size}",
                f"  call void @llvm.memcpy.p0.p0.i64(ptr %to{here}, ptr %from{here}, i64 {length * size}, i1 false)",
            ]
    return lines


def _emit_compaction(lanes: Lanes, apart: int) -> str:
    """Return `@compact(to, from, count)`, from a part of a block's samples to a block of their own, and `@spread`."""
    wide = f"[{apart} x {lanes.scalar}]"
    texts = []
    for name, source, target in (("compact", wide, lanes.real), ("spread", lanes.real, wide)):
        texts += [
            f"define internal void @{name}(ptr noalias %to, ptr noalias %from, i64 %count) {{",
            "entry:",
            "  br label %test",
            "test:",
            "  %k = phi i64 [0, %entry], [%next, %body]",
            "  %more = icmp slt i64 %k, %count",
            "  br i1 %more, label %body, label %end",
            "body:",
            f"  %source = getelementptr {source}, ptr %from, i64 %k",
            f"  %target = getelementptr {target}, ptr %to, i64 %k",
            f"  %value = load {lanes.real}, ptr %source, align {lanes.bytes}",
            f"  store {lanes.real} %value, ptr %target, align {lanes.bytes}",
            "  %next = add i64 %k, 1",
            "  br label %test",
            "end:",
            "  ret void",
            "}",
        ]
    return "\n".join(texts)
