"""A call for one state, past NumPy's machinery: a C function that Python calls with arrays, as `METH_FASTCALL`.

It takes plain arrays of the right shape and type whose numbers stand together. For anything else, and where the
answer is not finite (so that NumPy gives its warnings), it returns None, and the gufunc has to be called. After the
arguments may come arrays for the results, and the type of arrays: a mark that no user gives by mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from screwgraph.compiler.backends.llvm.allocation import STACK
from screwgraph.compiler.backends.llvm.loop import Operand, Shape
from screwgraph.compiler.backends.llvm.pointers import ONE, Pointers, passed
from screwgraph.compiler.backends.llvm.text import Lanes
from screwgraph.spatial.quaternions import UNIT_TOLERANCE

TYPE, DATA, DIMENSIONS_COUNT, DIMENSIONS, DESCRIPTION, FLAGS = 8, 16, 24, 32, 56, 64
"""Where a NumPy array has what, in bytes (`PyArrayObject_fields`), for pointers of 8 bytes."""
PLAIN, WRITEABLE = 0x1 | 0x100, 0x400
"""Flags of arrays whose numbers stand together, row by row, and are aligned; and of those that may be changed."""
TABLE = (
    *("array_type", "number_type", "new_array", "increase", "decrease", "none", "new_tuple", "set_item"),
    *("otherwise", "call_object"),
)
"""What the table holds that comes with a call: addresses that differ between processes."""
TABLE_SIZE = len(TABLE)
TYPE_NUMBERS = {64: 12, 32: 11}
"""NumPy's numbers for float64 and float32."""


def call(
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    lanes: Lanes,
    quaternions: Sequence[tuple[int, int]] = (),
    pointers: Pointers = ONE,
) -> str:
    """Return `@call(self, args, count)`, which uses the block for one sample; `self` is an array that is the table.

    One new result is computed where it stays, others on the stack; the arrays of several go into a tuple. Where they
    are too large for it, the gufunc, which needs little longer, has to be called always.
    """
    results = sum(prod(output.shape) for output in outputs) or 1
    R, size = lanes.scalar, max((place + 1 for operand in inputs for place in operand.places), default=1) or 1
    n, m = len(inputs), len(outputs)
    if max(results, size) * lanes.bytes > STACK:
        return "\n".join(["define ptr @call(ptr %self, ptr %args, i64 %count) {", *_never(), "}", _whole()])
    lines = [
        *(_dims(k, output.shape) for k, output in enumerate(outputs)),
        "define ptr @call(ptr %self, ptr %args, i64 %count) {",
        "entry:",
        f"  %in = alloca [{size} x {R}], align 64",
        *_field("table", "%self", DATA, "ptr"),
    ]
    for i, name in enumerate(TABLE):
        lines += _field(name, "%table", 8 * i, "ptr")
    lines += [
        f"  %memory = alloca [{results} x {R}], align 64",
        f"  %into = icmp eq i64 %count, {n + m + 1}",
        "  br i1 %into, label %marked, label %bare",
        "bare:",
        f"  %all = icmp eq i64 %count, {n}",
        "  br i1 %all, label %type0, label %unusual",
        "marked:",
        *_field("mark", "%args", 8 * (n + m), "ptr"),
        "  %is_marked = icmp eq ptr %mark, %array_type",
        f"  br i1 %is_marked, label %type{n}, label %unusual",
    ]
    operands = [*inputs, *outputs]
    for i in (*range(n, n + m), *range(n)):
        then = "%compute" if i == n - 1 else "%type0" if i == n + m - 1 else f"%type{i + 1}"
        lines += _checks(i, operands[i].shape, then, PLAIN if i < n else PLAIN | WRITEABLE)
    lines.append("compute:")
    for i, place in quaternions:
        lines += _unit(i, place, lanes)
    in_place = len(pointers.starts) == n > 1
    for i, operand in enumerate(inputs):
        lines += _field(f"data{i}", f"%a{i}", DATA, "ptr")
        lines += [] if in_place else _copies(i, operand, lanes)
    sources = passed([f"%data{i}" for i in range(n)] if in_place else ["%in"])
    lines.append("  br i1 %into, label %run_into, label %new")
    lines += _into(n, outputs, lanes, sources)
    lines += _one(outputs[0], lanes, sources) if m == 1 else _several(outputs, lanes, sources)
    lines += [
        "give_up:",
        "  ret ptr null",
        "unusual:",
        "  call void %increase(ptr %none)",
        "  ret ptr %none",
        "}",
        _whole(),
    ]
    return "\n".join(lines)


def _never() -> list[str]:
    """Return None, whatever the arguments are."""
    lines = _field("table", "%self", DATA, "ptr")
    for name in ("increase", "none"):
        lines += _field(name, "%table", 8 * TABLE.index(name), "ptr")
    return [*lines, "  call void %increase(ptr %none)", "  ret ptr %none"]


def _whole() -> str:
    """Return `@whole(self, args, count, names)`: as `call`, and where that returns None, or of keywords, another call.

    That one is `otherwise` of the table, an object that Python calls with the same arguments.
    """
    places = {name: 8 * i for i, name in enumerate(TABLE)}
    return "\n".join(
        [
            "define ptr @whole(ptr %self, ptr %args, i64 %count, ptr %names) {",
            *_field("table", "%self", DATA, "ptr"),
            "  %plain = icmp eq ptr %names, null",
            "  br i1 %plain, label %try, label %slow",
            "try:",
            "  %answer = call ptr @call(ptr %self, ptr %args, i64 %count)",
            *_field("none", "%table", places["none"], "ptr"),
            "  %is_none = icmp eq ptr %answer, %none",
            "  br i1 %is_none, label %drop, label %done",
            "drop:",
            *_field("decrease", "%table", places["decrease"], "ptr"),
            "  call void %decrease(ptr %answer)",
            "  br label %slow",
            "slow:",
            *_field("otherwise", "%table", places["otherwise"], "ptr"),
            *_field("call_object", "%table", places["call_object"], "ptr"),
            "  %found = call ptr %call_object(ptr %otherwise, ptr %args, i64 %count, ptr %names)",
            "  ret ptr %found",
            "done:",
            "  ret ptr %answer",
            "}",
        ]
    )


def _into(first: int, outputs: Sequence[Operand], lanes: Lanes, sources: str) -> list[str]:
    """Compute on the stack, as results may lie where arguments do, and copy to the arrays from argument `first` on."""
    several, at = len(outputs) > 1, 0
    lines = [
        "run_into:",
        f"  call void @block{lanes.tag}({sources}, ptr %memory)",
        *_finite("%memory", "into", "run_into", sum(prod(output.shape) for output in outputs), lanes),
        f"  br i1 %finite_into, label %{'hand' if several else 'keep'}, label %unusual",
    ]
    if several:
        lines += [
            "hand:",
            f"  %given = call ptr %new_tuple(i64 {len(outputs)})",
            "  %no_given = icmp eq ptr %given, null",
            "  br i1 %no_given, label %give_up, label %keep",
        ]
    lines.append("keep:")
    for k, output in enumerate(outputs):
        array, size = f"%target{k}", prod(output.shape)
        lines += [
            *_field(f"target{k}", "%args", 8 * (first + k), "ptr"),
            *_field(f"kept{k}", array, DATA, "ptr"),
            f"  %made{k} = getelementptr {lanes.scalar}, ptr %memory, i64 {at}",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %kept{k}, ptr %made{k}, i64 {size * lanes.bytes}, i1 false)",
            f"  call void %increase(ptr {array})",
        ]
        if several:
            lines.append(f"  %handed{k} = call i32 %set_item(ptr %given, i64 {k}, ptr {array})")
        at += size
    return [*lines, f"  ret ptr {'%given' if several else '%target0'}"]


def _one(output: Operand, lanes: Lanes, sources: str) -> list[str]:
    return [
        "new:",
        *_new_array("result", 0, output, lanes),
        "  br i1 %no_result, label %give_up, label %run",
        "run:",
        *_field("out", "%result", DATA, "ptr"),
        f"  call void @block{lanes.tag}({sources}, ptr %out)",
        *_finite("%out", "new", "run", prod(output.shape), lanes),
        "  br i1 %finite_new, label %done, label %drop",
        "done:",
        "  ret ptr %result",
        "drop:",
        "  call void %decrease(ptr %result)",
        "  br label %unusual",
    ]


def _several(outputs: Sequence[Operand], lanes: Lanes, sources: str) -> list[str]:
    sizes, R = [prod(output.shape) for output in outputs], lanes.scalar
    lines = [
        "new:",
        f"  call void @block{lanes.tag}({sources}, ptr %memory)",
        *_finite("%memory", "new", "new", sum(sizes), lanes),
        "  br i1 %finite_new, label %pack, label %unusual",
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
            f"  %part{k} = getelementptr {R}, ptr %memory, i64 {sum(sizes[:k])}",
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


def _checks(i: int, shape: Shape, then: str, flags: int) -> list[str]:
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
        f"  %plain{i} = and i32 %flags{i}, {flags}",
        f"  %ok{i}_0 = icmp eq i32 %plain{i}, {flags}",
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
        f"  %unit_low{here} = fcmp oge {R} {total}, {lanes.number(-UNIT_TOLERANCE)}",
        f"  %unit_high{here} = fcmp ole {R} {total}, {lanes.number(UNIT_TOLERANCE)}",
        f"  %is_unit{here} = and i1 %unit_low{here}, %unit_high{here}",
        f"  br i1 %is_unit{here}, label %unit_ok{here}, label %unusual",
        f"unit_ok{here}:",
    ]


def _copies(i: int, operand: Operand, lanes: Lanes) -> list[str]:
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


def _finite(numbers: str, name: str, before: str, count: int, lanes: Lanes) -> list[str]:
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
