"""A call for one state, past NumPy's machinery: a C function that Python calls with arrays, as `METH_FASTCALL`.

It takes plain arrays of the right shape and type whose numbers stand together. For anything else, and where the
answer is not finite (so that NumPy gives its warnings), it returns None, and the gufunc has to be called. After the
arguments may come arrays for the results, and the type of arrays: a mark that no user gives by mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from screwgraph.compiler.backends.llvm.allocation import STACK
from screwgraph.compiler.backends.llvm.argument_pointers import ONE, ArgumentPointers, format_pointers
from screwgraph.compiler.backends.llvm.domain_counter import EVERYTHING, Domains
from screwgraph.compiler.backends.llvm.inner_loop import Operand
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.numpy_array_text import (
    DATA,
    PLAIN,
    WRITEABLE,
    emit_array_checks,
    emit_copies,
    emit_dims,
    emit_field_load,
    emit_finite_check,
    emit_new_array,
    emit_sign_check,
    emit_unit_check,
)

TABLE = (
    *("array_type", "number_type", "new_array", "increase", "decrease", "none", "new_tuple", "set_item"),
    *("otherwise", "call_object"),
)
"""What the table holds that comes with a call: addresses that differ between processes."""
TABLE_SIZE = len(TABLE)


def emit_fastcall(
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    lanes: Lanes,
    domains: Domains = EVERYTHING,
    pointers: ArgumentPointers = ONE,
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
        *(emit_dims(k, output.shape) for k, output in enumerate(outputs)),
        "define ptr @call(ptr %self, ptr %args, i64 %count) {",
        "entry:",
        f"  %in = alloca [{size} x {R}], align 64",
        *emit_field_load("table", "%self", DATA, "ptr"),
    ]
    for i, name in enumerate(TABLE):
        lines += emit_field_load(name, "%table", 8 * i, "ptr")
    lines += [
        f"  %memory = alloca [{results} x {R}], align 64",
        f"  %into = icmp eq i64 %count, {n + m + 1}",
        "  br i1 %into, label %marked, label %bare",
        "bare:",
        f"  %all = icmp eq i64 %count, {n}",
        "  br i1 %all, label %type0, label %unusual",
        "marked:",
        *emit_field_load("mark", "%args", 8 * (n + m), "ptr"),
        "  %is_marked = icmp eq ptr %mark, %array_type",
        f"  br i1 %is_marked, label %type{n}, label %unusual",
    ]
    operands = [*inputs, *outputs]
    for i in (*range(n, n + m), *range(n)):
        then = "%compute" if i == n - 1 else "%type0" if i == n + m - 1 else f"%type{i + 1}"
        lines += emit_array_checks(i, operands[i].shape, then, PLAIN if i < n else PLAIN | WRITEABLE)
    lines.append("compute:")
    for i, place in domains.quaternions:
        lines += emit_unit_check(i, place, lanes)
    for i, place in domains.nonnegative:
        lines += emit_sign_check(i, place, lanes)
    in_place = len(pointers.starts) == n > 1
    for i, operand in enumerate(inputs):
        lines += emit_field_load(f"data{i}", f"%a{i}", DATA, "ptr")
        lines += [] if in_place else emit_copies(i, operand, lanes)
    sources = format_pointers([f"%data{i}" for i in range(n)] if in_place else ["%in"])
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
    lines = emit_field_load("table", "%self", DATA, "ptr")
    for name in ("increase", "none"):
        lines += emit_field_load(name, "%table", 8 * TABLE.index(name), "ptr")
    return [*lines, "  call void %increase(ptr %none)", "  ret ptr %none"]


def _whole() -> str:
    """Return `@whole(self, args, count, names)`: `emit_fastcall`; another call where that is None, or of keywords.

    That one is `otherwise` of the table, an object that Python calls with the same arguments.
    """
    places = {name: 8 * i for i, name in enumerate(TABLE)}
    return "\n".join(
        [
            "define ptr @whole(ptr %self, ptr %args, i64 %count, ptr %names) {",
            *emit_field_load("table", "%self", DATA, "ptr"),
            "  %plain = icmp eq ptr %names, null",
            "  br i1 %plain, label %try, label %slow",
            "try:",
            "  %answer = call ptr @call(ptr %self, ptr %args, i64 %count)",
            *emit_field_load("none", "%table", places["none"], "ptr"),
            "  %is_none = icmp eq ptr %answer, %none",
            "  br i1 %is_none, label %drop, label %done",
            "drop:",
            *emit_field_load("decrease", "%table", places["decrease"], "ptr"),
            "  call void %decrease(ptr %answer)",
            "  br label %slow",
            "slow:",
            *emit_field_load("otherwise", "%table", places["otherwise"], "ptr"),
            *emit_field_load("call_object", "%table", places["call_object"], "ptr"),
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
        *emit_finite_check("%memory", "into", "run_into", sum(prod(output.shape) for output in outputs), lanes),
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
            *emit_field_load(f"target{k}", "%args", 8 * (first + k), "ptr"),
            *emit_field_load(f"kept{k}", array, DATA, "ptr"),
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
        *emit_new_array("result", 0, output, lanes),
        "  br i1 %no_result, label %give_up, label %run",
        "run:",
        *emit_field_load("out", "%result", DATA, "ptr"),
        f"  call void @block{lanes.tag}({sources}, ptr %out)",
        *emit_finite_check("%out", "new", "run", prod(output.shape), lanes),
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
        *emit_finite_check("%memory", "new", "new", sum(sizes), lanes),
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
            *emit_new_array(f"result{k}", k, output, lanes),
            f"  br i1 %no_result{k}, label %give_back, label %fill{k}",
            f"fill{k}:",
            *emit_field_load(f"filled{k}", f"%result{k}", DATA, "ptr"),
            f"  %part{k} = getelementptr {R}, ptr %memory, i64 {sum(sizes[:k])}",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %filled{k}, ptr %part{k}, i64 {sizes[k] * lanes.bytes}, i1 false)",
            f"  %set{k} = call i32 %set_item(ptr %tuple, i64 {k}, ptr %result{k})",
            f"  br label %pack{k + 1}",
        ]
    return [*lines, f"pack{len(outputs)}:", "  ret ptr %tuple"]
