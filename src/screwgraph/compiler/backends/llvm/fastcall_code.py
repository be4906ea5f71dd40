"""A call for one state, past NumPy's machinery: a C function that Python calls with arrays, as `METH_FASTCALL`.

It takes plain arrays of the right shape and type whose numbers stand together. For anything else, and where the
answer is not finite (so that NumPy gives its warnings), it returns None, and the gufunc has to be called.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from screwgraph.compiler.backends.llvm.loop import Operand, Shape
from screwgraph.compiler.backends.llvm.text import Lanes
from screwgraph.spatial.quaternions import ROUNDED

TYPE, DATA, DIMENSIONS_COUNT, DIMENSIONS, DESCRIPTION, FLAGS = 8, 16, 24, 32, 56, 64
"""Where a NumPy array has what, in bytes (`PyArrayObject_fields`), for pointers of 8 bytes."""
PLAIN = 0x1 | 0x100
"""Flags of arrays whose numbers stand together, row by row, and are aligned."""
TABLE = ("array_type", "number_type", "new_array", "increase", "decrease", "none", "new_tuple", "set_item")
"""What the table holds that comes with a call: addresses that differ between processes."""
TABLE_SIZE = len(TABLE)
SLACK = 2.0 * ROUNDED
"""Difference of a quaternion's squared length from 1 that few printed digits, or steps of differences, explain."""
TYPE_NUMBERS = {64: 12, 32: 11}
"""NumPy's numbers for float64 and float32."""


def call(
    inputs: Sequence[Operand], outputs: Sequence[Operand], lanes: Lanes, quaternions: Sequence[tuple[int, int]] = ()
) -> str:
    """Return `@call(self, args, count)`, which uses the block for one sample; `self` is an array that is the table.

    One result is computed where it stays, several on the stack; their arrays go into a tuple.
    """
    R, size = lanes.scalar, max((place + 1 for operand in inputs for place in operand.places), default=1) or 1
    lines = [
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        *(_dims(k, output.shape) for k, output in enumerate(outputs)),
        "define ptr @call(ptr %self, ptr %args, i64 %count) {",
        "entry:",
        f"  %in = alloca [{size} x {R}], align 64",
        *_field("table", "%self", DATA, "ptr"),
    ]
    for i, name in enumerate(TABLE):
        lines += _field(name, "%table", 8 * i, "ptr")
    lines += [
        f"  %all = icmp eq i64 %count, {len(inputs)}",
        "  br i1 %all, label %type0, label %unusual",
    ]
    for i, operand in enumerate(inputs):
        lines += _checks(i, operand.shape, f"%type{i + 1}" if i + 1 < len(inputs) else "%compute")
    lines.append("compute:")
    for i, place in quaternions:
        lines += _unit(i, place, lanes)
    for i, operand in enumerate(inputs):
        lines += _copies(i, operand, lanes)
    lines += _one(outputs[0], lanes) if len(outputs) == 1 else _several(outputs, lanes)
    lines += [
        "give_up:",
        "  ret ptr null",
        "unusual:",
        "  call void %increase(ptr %none)",
        "  ret ptr %none",
        "}",
    ]
    return "\n".join(lines)


def _one(output: Operand, lanes: Lanes) -> list[str]:
    return [
        *_new_array("result", 0, output, lanes),
        "  br i1 %no_result, label %give_up, label %run",
        "run:",
        *_field("out", "%result", DATA, "ptr"),
        f"  call void @block{lanes.tag}(ptr %in, ptr %out)",
        *_finite(prod(output.shape), lanes),
        "  br i1 %finite, label %done, label %drop",
        "done:",
        "  ret ptr %result",
        "drop:",
        "  call void %decrease(ptr %result)",
        "  br label %unusual",
    ]


def _several(outputs: Sequence[Operand], lanes: Lanes) -> list[str]:
    sizes, R = [prod(output.shape) for output in outputs], lanes.scalar
    lines = [
        f"  %out = alloca [{sum(sizes) or 1} x {R}], align 64",
        "  br label %run",
        "run:",
        f"  call void @block{lanes.tag}(ptr %in, ptr %out)",
        *_finite(sum(sizes), lanes),
        "  br i1 %finite, label %pack, label %unusual",
        "pack:",
        f"  %tuple = call ptr %new_tuple(i64 {len(outputs)})",
        "  %no_tuple = icmp eq ptr %tuple, null",
        "  br i1 %no_tuple, label %give_up, label %pack0",
        "give_back:",
        "  call void %decrease(ptr %tuple)",
        "  br label %give_up",
    ]
    for k, output in enumerate(outputs):
        lines += [
            f"pack{k}:",
            *_new_array(f"result{k}", k, output, lanes),
            f"  br i1 %no_result{k}, label %give_back, label %fill{k}",
            f"fill{k}:",
            *_field(f"filled{k}", f"%result{k}", DATA, "ptr"),
            f"  %part{k} = getelementptr {R}, ptr %out, i64 {sum(sizes[:k])}",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %filled{k}, ptr %part{k}, i64 {sizes[k] * lanes.bytes}, i1 false)",
            f"  %set{k} = call i32 %set_item(ptr %tuple, i64 {k}, ptr %result{k})",
            f"  br label %pack{k + 1}",
        ]
    return [*lines, f"pack{len(outputs)}:", "  ret ptr %tuple"]


def _dims(k: int, shape: Shape) -> str:
    return f"@dims{k} = private constant [{len(shape)} x i64] [{', '.join(f'i64 {n}' for n in shape)}]"


def _new_array(name: str, k: int, output: Operand, lanes: Lanes) -> list[str]:
    """Make the array of result k, and tell whether there was no memory for it."""
    new = f"ptr %array_type, i32 {len(output.shape)}, ptr @dims{k}, i32 {TYPE_NUMBERS[lanes.bits]}"
    return [
        f"  %{name} = call ptr %new_array({new}, ptr null, ptr null, i32 0, i32 0, ptr null)",
        f"  %no_{name} = icmp eq ptr %{name}, null",
    ]


def _field(name: str, pointer: str, offset: int, kind: str) -> list[str]:
    return [
        f"  %at_{name} = getelementptr i8, ptr {pointer}, i64 {offset}",
        f"  %{name} = load {kind}, ptr %at_{name}, align {4 if kind == 'i32' else 8}",
    ]


def _checks(i: int, shape: Shape, then: str) -> list[str]:
    """Check, one after the other, that an argument is an array, has so many axes, and all else."""
    lines = [
        f"type{i}:",
        *_field(f"a{i}", "%args", 8 * i, "ptr"),
        *_field(f"kind{i}", f"%a{i}", TYPE, "ptr"),
        f"  %is_array{i} = icmp eq ptr %kind{i}, %array_type",
        f"  br i1 %is_array{i}, label %axes{i}, label %unusual",
        f"axes{i}:",
        *_field(f"nd{i}", f"%a{i}", DIMENSIONS_COUNT, "i32"),
        f"  %same_axes{i} = icmp eq i32 %nd{i}, {len(shape)}",
        f"  br i1 %same_axes{i}, label %rest{i}, label %unusual",
        f"rest{i}:",
        *_field(f"dims{i}", f"%a{i}", DIMENSIONS, "ptr"),
        *_field(f"description{i}", f"%a{i}", DESCRIPTION, "ptr"),
        *_field(f"flags{i}", f"%a{i}", FLAGS, "i32"),
        f"  %plain{i} = and i32 %flags{i}, {PLAIN}",
        f"  %ok{i}_0 = icmp eq i32 %plain{i}, {PLAIN}",
        f"  %typed{i} = icmp eq ptr %description{i}, %number_type",
        f"  %ok{i}_1 = and i1 %ok{i}_0, %typed{i}",
    ]
    for axis, length in enumerate(shape):
        lines += _field(f"dim{i}_{axis}", f"%dims{i}", 8 * axis, "i64")
        lines.append(f"  %fits{i}_{axis} = icmp eq i64 %dim{i}_{axis}, {length}")
        lines.append(f"  %ok{i}_{axis + 2} = and i1 %ok{i}_{axis + 1}, %fits{i}_{axis}")
    return [*lines, f"  br i1 %ok{i}_{len(shape) + 1}, label {then}, label %unusual"]


def _unit(i: int, place: int, lanes: Lanes) -> list[str]:
    """Give up on a quaternion, the numbers of argument i from `place` on, whose squared length is not 1."""
    R, here, total = lanes.scalar, f"{i}_{place}", lanes.number(-1.0)
    lines = _field(f"unit_data{here}", f"%a{i}", DATA, "ptr")
    for k in range(4):
        lines += [
            f"  %unit_at{here}_{k} = getelementptr {R}, ptr %unit_data{here}, i64 {place + k}",
            f"  %unit{here}_{k} = load {R}, ptr %unit_at{here}_{k}, align {lanes.bytes}",
            f"  %unit_square{here}_{k} = fmul {R} %unit{here}_{k}, %unit{here}_{k}",
            f"  %unit_sum{here}_{k} = fadd {R} {total}, %unit_square{here}_{k}",
        ]
        total = f"%unit_sum{here}_{k}"
    return [
        *lines,
        f"  %unit_low{here} = fcmp oge {R} {total}, {lanes.number(-SLACK)}",
        f"  %unit_high{here} = fcmp ole {R} {total}, {lanes.number(SLACK)}",
        f"  %is_unit{here} = and i1 %unit_low{here}, %unit_high{here}",
        f"  br i1 %is_unit{here}, label %unit_ok{here}, label %unusual",
        f"unit_ok{here}:",
    ]


def _copies(i: int, operand: Operand, lanes: Lanes) -> list[str]:
    """Copy an argument's numbers to their places; neighbours together."""
    lines, aligned = _field(f"data{i}", f"%a{i}", DATA, "ptr"), f"ptr align {lanes.bytes}"
    for flat, place, length in operand.runs:
        here, size = f"{i}_{flat}", length * lanes.bytes
        lines += [
            f"  %from{here} = getelementptr {lanes.scalar}, ptr %data{i}, i64 {flat}",
            f"  %to{here} = getelementptr {lanes.scalar}, ptr %in, i64 {place}",
            f"  call void @llvm.memcpy.p0.p0.i64({aligned} %to{here}, {aligned} %from{here}, i64 {size}, i1 false)",
        ]
    return lines


def _finite(count: int, lanes: Lanes) -> list[str]:
    """Tell whether all results are finite, by their bits: comparing a NaN would raise a floating-point flag."""
    N, align = lanes.integer, lanes.bytes
    exponent = 0x7FF0000000000000 if lanes.bits == 64 else 0x7F800000
    return [
        "  br label %each",
        "each:",
        "  %k = phi i64 [0, %run], [%k_next, %each]",
        "  %so_far = phi i1 [true, %run], [%finite, %each]",
        f"  %at_k = getelementptr {N}, ptr %out, i64 %k",
        f"  %bits_k = load {N}, ptr %at_k, align {align}",
        f"  %exponent_k = and {N} %bits_k, {exponent}",
        f"  %finite_k = icmp ne {N} %exponent_k, {exponent}",
        "  %finite = and i1 %so_far, %finite_k",
        "  %k_next = add i64 %k, 1",
        f"  %more_k = icmp slt i64 %k_next, {count}",
        "  br i1 %more_k, label %each, label %checked",
        "checked:",
    ]
