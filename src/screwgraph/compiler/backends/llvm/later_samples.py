"""Samples of a batch that take much longer than others, computed together.

Samples side by side take the longest one's time. Those of which a program of their inputs tells that they will do a
long part wait until they fill a block, and so do the others of their blocks, which are computed without that part. Of
these, a block leaves a few that would do it undone, which costs no more than the others' time once more: they wait with
the first ones. What a sample gets is what it gets alone.
"""

from __future__ import annotations

from math import prod

from screwgraph.compiler.backends.llvm.gather import emit_gather_some
from screwgraph.compiler.backends.llvm.inner_loop import (
    BlockLayout,
    Operand,
    gather_operands,
    stretch_lengths,
)
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.sample_block import BlockFunction, emit_block
from screwgraph.compiler.backends.llvm.scatter import emit_scatter_some
from screwgraph.tape import Program

WAYS = (("same", "eq"), ("own", "ne"))
"""Names of ways to gather, and how strides of samples compare with zero there."""


def emit_later(blocks: BlockLayout, likely: Program | None) -> str:
    """Return `@later(args, steps, samples, in, out, patient)`, which computes the samples whose numbers are there.

    It returns bits, one for each that it leaves. Also `@note(waiting, count, first, bits)`, which adds those of a block
    that begins at a sample, `@note_some(waiting, count, samples, bits)`, which adds some of a list, both of which
    return the count; `@expect(in)`, bits of samples that will be left, as far as the program `likely` knows;
    `@gather_same_<length>` and `@gather_own_<length>` as `@gather_<length>`, for what all samples have the same of,
    which stays in the block, and for what each has its own of: they do nothing for the others.
    """
    lanes, operands = blocks.lanes, [*blocks.inputs, *blocks.outputs]
    count, loads, core, B = len(blocks.inputs), list[str](), len(operands), f"i{blocks.lanes.width}"
    for i, operand in enumerate(operands):
        loads += _load("ptr", f"base{i}", "%args", i) + _load("i64", f"outer{i}", "%steps", i)
        for axis in range(len(operand.shape)):
            loads += _load("i64", f"core{i}_{axis}", "%steps", core + axis)
        core += len(operand.shape)
    arguments = "ptr %args, ptr %steps, ptr %samples, ptr %in, ptr %out, i1 %patient"
    return "\n".join(
        [
            _emit_note(lanes, "note", "i64 %first", "  %sample = add i64 %first, %l"),
            _emit_note(
                lanes,
                "note_some",
                "ptr %samples",
                "  %from = getelementptr i64, ptr %samples, i64 %l\n  %sample = load i64, ptr %from",
            ),
            _emit_expectation(lanes, likely),
            *(_emit_choice(lanes, length, *way) for length in stretch_lengths(blocks.inputs) for way in WAYS),
            emit_gather_some(lanes, stretch_lengths(blocks.inputs)),
            emit_scatter_some(lanes, sorted({_row(operand) for operand in blocks.outputs})),
            f"define internal {B} @later{lanes.tag}({arguments}) noinline {{",
            *loads,
            "  %k_some = add i64 0, 0",
            *gather_operands("some", blocks.inputs, lanes, "gather_some", ", ptr %samples"),
            f"  %left = call {B} @patient_block{lanes.tag}(ptr %in, ptr %out, i1 %patient)",
            *(line for i, operand in enumerate(blocks.outputs) for line in _put(lanes, count + i, i, operand)),
            f"  ret {B} %left",
            "}",
        ]
    )


def _emit_expectation(lanes: Lanes, likely: Program | None) -> str:
    B = f"i{lanes.width}"
    head = f"define internal {B} @expect{lanes.tag}(ptr %in) {{"
    if likely is None:
        return f"{head}\n  ret {B} 0\n}}"
    return f"""{emit_block(likely, lanes, BlockFunction("likely"))}
{head}
  %found = alloca {lanes.real}, align 64
  call void @likely{lanes.tag}(ptr %in, ptr %found)
  %number = load {lanes.real}, ptr %found, align 64
  %test = fcmp une {lanes.real} %number, zeroinitializer
  %bits = bitcast {lanes.boolean} %test to {B}
  ret {B} %bits
}}"""


def _emit_note(lanes: Lanes, name: str, given: str, lines: str) -> str:
    arguments = f"ptr %waiting, i64 %count, {given}, i{lanes.width} %bits"
    return f"""define internal i64 @{name}{lanes.tag}({arguments}) noinline {{
entry:
  %all = zext i{lanes.width} %bits to i64
  br label %lane
lane:
  %l = phi i64 [0, %entry], [%l_next, %lane]
  %n = phi i64 [%count, %entry], [%n_next, %lane]
{lines}
  %at = getelementptr i64, ptr %waiting, i64 %n
  store i64 %sample, ptr %at
  %shifted = lshr i64 %all, %l
  %bit = and i64 %shifted, 1
  %n_next = add i64 %n, %bit
  %l_next = add i64 %l, 1
  %more = icmp slt i64 %l_next, {lanes.width}
  br i1 %more, label %lane, label %end
end:
  ret i64 %n_next
}}"""


def _emit_choice(lanes: Lanes, length: int, name: str, comparison: str) -> str:
    arguments = "ptr %array, i64 %core, i64 %outer, ptr %block"
    return f"""define internal void @gather_{name}{lanes.tag}_{length}({arguments}) noinline {{
  %does = icmp {comparison} i64 %outer, 0
  br i1 %does, label %do, label %end
do:
  call void @gather{lanes.tag}_{length}({arguments})
  br label %end
end:
  ret void
}}"""


def _put(lanes: Lanes, index: int, k: int, operand: Operand) -> list[str]:
    """Move result k of the samples to their array, row by row."""
    row, rank, lines = _row(operand), len(operand.shape), list[str]()
    for flat in range(0, len(operand.places), row):
        here, position = f"{index}_{flat}", f"%base{index}"
        for axis in range(rank - 1):
            coordinate = flat // prod(operand.shape[axis + 1 :]) % operand.shape[axis]
            lines += [
                f"  %o_{here}_{axis} = mul i64 %core{index}_{axis}, {coordinate}",
                f"  %q_{here}_{axis} = getelementptr i8, ptr {position}, i64 %o_{here}_{axis}",
            ]
            position = f"%q_{here}_{axis}"
        stride = f"%core{index}_{rank - 1}" if rank else f"{lanes.bytes}"
        arguments = f"ptr {position}, i64 {stride}, i64 %outer{index}, ptr %out, ptr %t_{here}, ptr %samples"
        lines += [
            f"  %t_{here} = getelementptr i32, ptr @places{lanes.tag}_{k}, i64 {flat}",
            f"  call void @scatter_some{lanes.tag}_{row}({arguments})",
        ]
    return lines


def _row(operand: Operand) -> int:
    return operand.shape[-1] if operand.shape else 1


def _load(kind: str, name: str, array: str, index: int) -> list[str]:
    return [
        f"  %at_{name} = getelementptr i64, ptr {array}, i64 {index}",
        f"  %{name} = load {kind}, ptr %at_{name}, align 8",
    ]
