"""NumPy's arrays as assembly sees them: where what stands, whether one is as it should be, and how one is made."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.inner_loop import Operand, Shape
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.spatial.quaternions import UNIT_TOLERANCE

TYPE, DATA, DIMENSIONS_COUNT, DIMENSIONS, DESCRIPTION, FLAGS = 8, 16, 24, 32, 56, 64
"""Where a NumPy array has what, in bytes (`PyArrayObject_fields`), for pointers of 8 bytes."""
PLAIN, WRITEABLE = 0x1 | 0x100, 0x400
"""Flags of arrays whose numbers stand together, row by row, and are aligned; and of those that may be changed."""
TYPE_NUMBERS = {64: 12, 32: 11}
"""NumPy's numbers for float64 and float32."""


def emit_dims(k: int, shape: Shape) -> str:
    """Define the axes of result k."""
    return f"@dims{k} = private constant [{len(shape)} x i64] [{', '.join(f'i64 {n}' for n in shape)}]"


def emit_new_array(name: str, k: int, output: Operand, lanes: Lanes) -> list[str]:
    """Make the array of result k, and tell whether there was no memory for it."""
    new = f"ptr %array_type, i32 {len(output.shape)}, ptr @dims{k}, i32 {TYPE_NUMBERS[lanes.bits]}"
    return [
        f"  %{name} = call ptr %new_array({new}, ptr null, ptr null, i32 0, i32 0, ptr null)",
        f"  %no_{name} = icmp eq ptr %{name}, null",
    ]


def emit_field_load(name: str, pointer: str, offset: int, kind: str) -> list[str]:
    """Load what stands so many bytes behind a pointer."""
    return [
        f"  %at_{name} = getelementptr i8, ptr {pointer}, i64 {offset}",
        f"  %{name} = load {kind}, ptr %at_{name}, align {4 if kind == 'i32' else 8}",
    ]


def emit_array_checks(i: int, shape: Shape, then: str, flags: int) -> list[str]:
    """Check, one after the other, that an argument is an array, has so many axes, and all else."""
    lines = [
        f"type{i}:",
        *emit_field_load(f"a{i}", "%args", 8 * i, "ptr"),
        *emit_field_load(f"kind{i}", f"%a{i}", TYPE, "ptr"),
        f"  %is_array{i} = icmp eq ptr %kind{i}, %array_type",
        f"  br i1 %is_array{i}, label %axes{i}, label %unusual",
        f"axes{i}:",
        *emit_field_load(f"nd{i}", f"%a{i}", DIMENSIONS_COUNT, "i32"),
        f"  %same_axes{i} = icmp eq i32 %nd{i}, {len(shape)}",
        f"  br i1 %same_axes{i}, label %rest{i}, label %unusual",
        f"rest{i}:",
        *emit_field_load(f"dims{i}", f"%a{i}", DIMENSIONS, "ptr"),
        *emit_field_load(f"description{i}", f"%a{i}", DESCRIPTION, "ptr"),
        *emit_field_load(f"flags{i}", f"%a{i}", FLAGS, "i32"),
        f"  %plain{i} = and i32 %flags{i}, {flags}",
        f"  %ok{i}_0 = icmp eq i32 %plain{i}, {flags}",
        f"  %typed{i} = icmp eq ptr %description{i}, %number_type",
        f"  %ok{i}_1 = and i1 %ok{i}_0, %typed{i}",
    ]
    for axis, length in enumerate(shape):
        lines += emit_field_load(f"dim{i}_{axis}", f"%dims{i}", 8 * axis, "i64")
        lines.append(f"  %fits{i}_{axis} = icmp eq i64 %dim{i}_{axis}, {length}")
        lines.append(f"  %ok{i}_{axis + 2} = and i1 %ok{i}_{axis + 1}, %fits{i}_{axis}")
    return [*lines, f"  br i1 %ok{i}_{len(shape) + 1}, label {then}, label %unusual"]


def emit_unit_check(i: int, place: int, lanes: Lanes) -> list[str]:
    """Give up on a quaternion, the numbers of argument i from `place` on, whose squared length is not 1."""
    R, here, total = lanes.scalar, f"{i}_{place}", lanes.number(-1.0)
    lines = emit_field_load(f"unit_data{here}", f"%a{i}", DATA, "ptr")
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
        f"  %unit_low{here} = fcmp oge {R} {total}, {lanes.number(-UNIT_TOLERANCE)}",
        f"  %unit_high{here} = fcmp ole {R} {total}, {lanes.number(UNIT_TOLERANCE)}",
        f"  %is_unit{here} = and i1 %unit_low{here}, %unit_high{here}",
        f"  br i1 %is_unit{here}, label %unit_ok{here}, label %unusual",
        f"unit_ok{here}:",
    ]


def emit_sign_check(i: int, place: int, lanes: Lanes) -> list[str]:
    """Give up on a number of argument i that is negative, or none."""
    here = f"{i}_{place}"
    return [
        *emit_field_load(f"sign_data{here}", f"%a{i}", DATA, "ptr"),
        f"  %sign_at{here} = getelementptr {lanes.scalar}, ptr %sign_data{here}, i64 {place}",
        f"  %sign{here} = load {lanes.scalar}, ptr %sign_at{here}, align {lanes.bytes}",
        f"  %is_sign{here} = fcmp oge {lanes.scalar} %sign{here}, {lanes.number(0.0)}",
        f"  br i1 %is_sign{here}, label %sign_ok{here}, label %unusual",
        f"sign_ok{here}:",
    ]


def emit_copies(i: int, operand: Operand, lanes: Lanes) -> list[str]:
    """Copy an argument's numbers to their places; neighbours together."""
    lines, aligned = list[str](), f"ptr align {lanes.bytes}"
    for flat, place, length in operand.runs:
        here, size = f"{i}_{flat}", length * lanes.bytes
        lines += [
            f"  %from{here} = getelementptr {lanes.scalar}, ptr %data{i}, i64 {flat}",
            f"  %to{here} = getelementptr {lanes.scalar}, ptr %in, i64 {place}",
            f"  call void @llvm.memcpy.p0.p0.i64({aligned} %to{here}, {aligned} %from{here}, i64 {size}, i1 false)",
        ]
    return lines


def emit_finite_check(numbers: str, name: str, before: str, count: int, lanes: Lanes) -> list[str]:
    """Tell whether numbers are all finite, by their bits: comparing a NaN would raise a floating-point flag."""
    N, align = lanes.integer, lanes.bytes
    exponent = 0x7FF0000000000000 if lanes.bits == 64 else 0x7F800000
    return [
        f"  br label %each_{name}",
        f"each_{name}:",
        f"  %k_{name} = phi i64 [0, %{before}], [%next_{name}, %each_{name}]",
        f"  %so_far_{name} = phi i1 [true, %{before}], [%finite_{name}, %each_{name}]",
        f"  %at_{name} = getelementptr {N}, ptr {numbers}, i64 %k_{name}",
        f"  %bits_{name} = load {N}, ptr %at_{name}, align {align}",
        f"  %exponent_{name} = and {N} %bits_{name}, {exponent}",
        f"  %is_{name} = icmp ne {N} %exponent_{name}, {exponent}",
        f"  %finite_{name} = and i1 %so_far_{name}, %is_{name}",
        f"  %next_{name} = add i64 %k_{name}, 1",
        f"  %more_{name} = icmp slt i64 %next_{name}, {count}",
        f"  br i1 %more_{name}, label %each_{name}, label %checked_{name}",
        f"checked_{name}:",
    ]
