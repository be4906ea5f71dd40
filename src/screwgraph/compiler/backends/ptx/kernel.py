"""The kernel of a function as LLVM assembly for GPUs: one thread computes one sample."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import prod

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.llvm.angle_reduction import emit_angle_reduction
from screwgraph.compiler.backends.llvm.assembly import Arguments, make_operands
from screwgraph.compiler.backends.llvm.inner_loop import Operand, Shape
from screwgraph.compiler.backends.llvm.instruction_writer import Writer
from screwgraph.compiler.backends.llvm.ir_text import Lanes, emit_intrinsics
from screwgraph.compiler.backends.llvm.multiply_add import fuse_multiply_add
from screwgraph.compiler.backends.llvm.operations import LLVM, Intrinsic, Library
from screwgraph.compiler.backends.llvm.routine import print_routine
from screwgraph.compiler.backends.llvm.sincos import emit_sincos
from screwgraph.compiler.backends.llvm.sine_scheduling import SINES
from screwgraph.compiler.backends.llvm.vector_sines import emit_scalar_sines, sines_per_vector
from screwgraph.compiler.backends.ptx.expression import DOUBLE
from screwgraph.compiler.backends.ptx.math_functions import emit_math_functions
from screwgraph.compiler.passes.angle_reduction import find_angle_sums
from screwgraph.tape import Code, Program, Routine

GLOBAL = "ptr addrspace(1)"
"""An address in the memory that all threads share."""
MEMORY = 2**19
"""Bytes of memory that a thread may have of its own."""
ALL = sys.maxsize
"""Instructions in one piece: threads keep values in registers, and no function is called."""
ASKED = {"block": "ctaid.x", "size": "ntid.x", "place": "tid.x"}
"""What a thread asks for its number: its block, how many threads that has, and its place there."""


def emit_kernel(name: str, code: Code, arguments: Arguments, results: Sequence[Shape], dtype: str) -> str:
    """Return the LLVM assembly of `<name>(base, sample, entry, ..., count)`.

    Of each argument, then of each result, it takes the address, and how many bytes lie between samples, and between
    numbers of a sample, row by row. Thread k computes sample k, if `count` is more than k.

    Raises:
        InputError: a thread has less memory than loops need.
    """
    lanes = Lanes(1, {"float64": 64, "float32": 32}[dtype])
    inputs, outputs = make_operands(code, arguments, results)
    if isinstance(code, Routine):
        loops, body = _emit_routine(name, code, outputs, len(inputs), lanes)
    else:
        loops, body = [], _straight(code, outputs, len(inputs), lanes)
    arrays = range(len(inputs) + len(outputs))
    takes = [f"{GLOBAL} %base{i}, i64 %sample{i}, i64 %entry{i}" for i in arrays]
    lines = [
        *emit_dependencies(code, lanes),
        *(f"declare i32 @llvm.nvvm.read.ptx.sreg.{register}()" for register in ASKED.values()),
        *loops,
        f"define ptx_kernel void @{name}({', '.join([*takes, 'i64 %count'])}) {{",
        "entry:",
        *(f"  %short_{n} = call i32 @llvm.nvvm.read.ptx.sreg.{register}()" for n, register in ASKED.items()),
        *(f"  %{n} = zext i32 %short_{n} to i64" for n in ASKED),
        "  %before = mul i64 %block, %size",
        "  %k = add i64 %before, %place",
        "  %is = icmp slt i64 %k, %count",
        "  br i1 %is, label %sample, label %end",
        "sample:",
    ]
    for i in arrays:
        lines += [f"  %off{i} = mul i64 %k, %sample{i}", f"  %at{i} = getelementptr i8, {GLOBAL} %base{i}, i64 %off{i}"]
    lines += [f"  %in = alloca [{max(len(code.input_names), 1)} x {lanes.scalar}], align {lanes.bytes}"]
    for i, operand in enumerate(inputs):
        lines += _emit_loads(i, operand, lanes)
    lines += body
    weights = '!0 = !{!"branch_weights", i32 1, i32 1000000}'
    return "\n".join([*lines, "  br label %end", "end:", "  ret void", "}", weights])


def _emit_loads(i: int, operand: Operand, lanes: Lanes) -> list[str]:
    """Return lines that load an argument's numbers, before any result is stored: they may be the same memory."""
    lines = []
    for flat, place in enumerate(operand.places):
        if place >= 0:
            here = f"{i}_{flat}"
            lines += [
                *_entry(i, here, str(flat)),
                f"  %x{here} = load {lanes.scalar}, {GLOBAL} %p{here}, align {lanes.bytes}",
                f"  %in{here} = getelementptr {lanes.scalar}, ptr %in, i64 {place}",
                f"  store {lanes.scalar} %x{here}, ptr %in{here}, align {lanes.bytes}",
            ]
    return lines


def _entry(i: int, here: str, flat: str) -> list[str]:
    """Point to a number of the sample in an argument or a result."""
    return [
        f"  %far{here} = mul i64 %entry{i}, {flat}",
        f"  %p{here} = getelementptr i8, {GLOBAL} %at{i}, i64 %far{here}",
    ]


def _straight(program: Program, outputs: Sequence[Operand], first: int, lanes: Lanes) -> list[str]:
    """Return a program's lines; results are stored as soon as they are known, so that no register holds them."""
    where = {place: (first + k, flat) for k, operand in enumerate(outputs) for flat, place in enumerate(operand.places)}

    def store(value: str, place: int) -> list[str]:
        i, flat = where[place]
        here = f"{i}_{flat}"
        return [*_entry(i, here, str(flat)), f"  store {lanes.scalar} {value}, {GLOBAL} %p{here}, align {lanes.bytes}"]

    program = fuse_multiply_add(program)
    results: dict[int, list[int]] = {}
    for place, output in enumerate(program.outputs):
        if isinstance(output, int):
            results.setdefault(output, []).append(place)
    writer = Writer(program, lanes, {}, results, find_angle_sums(program), store=store)
    writer.write(range(len(program.instructions)))
    constants = ((lanes.number(o), place) for place, o in enumerate(program.outputs) if not isinstance(o, int))
    return [*writer.lines, *(line for value, place in constants for line in store(value, place))]


def _emit_routine(
    name: str, routine: Routine, outputs: Sequence[Operand], first: int, lanes: Lanes
) -> tuple[list[str], list[str]]:
    """Return the functions of code with loops, and the lines that call them and store what they leave in memory."""
    printer, scratch = print_routine(routine, lanes, ALL, 1, inlined=True)
    numbers = len(routine.inputs) + len(routine.outputs) + scratch
    if numbers * lanes.bytes > MEMORY:
        raise InputError(
            f"{name} has no code for GPUs",
            why=f"its loops need {numbers * lanes.bytes // 1024} KiB of memory a sample, a thread has {MEMORY // 1024}",
            fix='take f.astype("float32"), which needs half, or compute batches with f(..., threads=)',
        )
    lines = [
        f"  %{n} = alloca [{max(count, 1)} x {lanes.scalar}], align {lanes.bytes}"
        for n, count in (("out", len(routine.outputs)), ("memory", scratch))
    ]
    # Loops end in blocks of their own: what comes after them begins a new one.
    lines += [*printer.body.head, *printer.body.lines, "  br label %computed", "computed:"]
    for k, operand in enumerate(outputs):
        i, size = first + k, prod(operand.shape)
        lines += [
            f"  br label %put{i}",
            f"put{i}:",
            f"  %j{i} = phi i64 [0, %{f'done{i - 1}' if k else 'computed'}], [%next{i}, %put{i}]",
            f"  %place{i} = add i64 %j{i}, {operand.places[0] if size else 0}",
            f"  %o{i} = getelementptr {lanes.scalar}, ptr %out, i64 %place{i}",
            f"  %y{i} = load {lanes.scalar}, ptr %o{i}, align {lanes.bytes}",
            *_entry(i, f"{i}", f"%j{i}"),
            f"  store {lanes.scalar} %y{i}, {GLOBAL} %p{i}, align {lanes.bytes}",
            f"  %next{i} = add i64 %j{i}, 1",
            f"  %more{i} = icmp slt i64 %next{i}, {size}",
            f"  br i1 %more{i}, label %put{i}, label %done{i}",
            f"done{i}:",
        ]
    return printer.functions, lines


# What the code of a kernel calls: intrinsics, sines, and functions that CPUs find in the C library.

DOUBLES = ("sqrt", "floor", "fabs", "trunc")
"""Intrinsics of doubles that functions call."""


def emit_dependencies(code: Code, lanes: Lanes) -> list[str]:
    """Return declarations and functions, all of which the kernel takes in: GPUs have no library to link."""
    names = dict.fromkeys(i[0] for i in code.instructions)
    forms = [LLVM[name] for name in names if name in LLVM]
    functions = [form.function for form in forms if isinstance(form, Library)]
    called = [(lanes, form.function) for form in forms if isinstance(form, Intrinsic)]
    called += [(DOUBLE, function) for function in DOUBLES if functions]
    parts = [emit_intrinsics(kind) for kind in dict.fromkeys((lanes, DOUBLE))]
    parts += [f"declare {kind.real} {kind.intrinsic(f)}({kind.real})" for kind, f in dict.fromkeys(called)]
    with_sines = any(name in SINES for name in names)
    kinds = dict.fromkeys([lanes] * with_sines + [DOUBLE] * ("tan" in names))
    parts += [emit_sincos(kind, library=False) for kind in kinds]
    if with_sines:
        together = sines_per_vector(lanes.bits)
        parts += [
            emit_angle_reduction(lanes, branches=False),
            emit_scalar_sines(together, f"sines{together.tag}", "alwaysinline"),
        ]
    return [*parts, *emit_math_functions(functions)]
