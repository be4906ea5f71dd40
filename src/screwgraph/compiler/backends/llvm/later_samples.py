"""Samples of a batch that take much longer than others, computed together after these.

Samples side by side take the longest one's time. A block of them leaves a few that would do a long part undone, which
costs no more than the others' time once more; as many as a block holds are then done side by side. What a sample
gets is what it gets alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from screwgraph.compiler.backends.llvm.inner_loop import BlockLayout, Operand, point_to_sample, stretch_lengths
from screwgraph.compiler.backends.llvm.ir_text import Lanes

WAYS = (("same", "eq"), ("own", "ne"))
"""Names of ways to gather, and how strides of samples compare with zero there."""


def emit_later(blocks: BlockLayout) -> str:
    """Return `@later(args, steps, waiting, in, out)`, which computes the samples whose numbers stand at `waiting`.

    Also `@note(waiting, count, first, bits)`, which adds those of a block that begins at a sample, and returns the
    count; `@gather_same_<length>` and `@gather_own_<length>` as `@gather_<length>`, for what all samples have the same
    of, which stays in the block, and for what each has its own of: they do nothing for the others.
    """
    lanes, operands = blocks.lanes, [*blocks.inputs, *blocks.outputs]
    count, loads, core = len(blocks.inputs), list[str](), len(operands)
    for i, operand in enumerate(operands):
        loads += _load("ptr", f"base{i}", "%args", i) + _load("i64", f"outer{i}", "%steps", i)
        for axis in range(len(operand.shape)):
            loads += _load("i64", f"core{i}_{axis}", "%steps", core + axis)
        core += len(operand.shape)
    arguments = "ptr %args, ptr %steps, ptr %waiting, ptr %in, ptr %out"
    return "\n".join(
        [
            _emit_note(lanes),
            *(_emit_choice(lanes, length, *way) for length in stretch_lengths(blocks.inputs) for way in WAYS),
            f"define internal void @later{lanes.tag}({arguments}) noinline {{",
            "entry:",
            *loads,
            *_each_lane("take", "entry", lanes, [_move(lanes, i, o, "in") for i, o in enumerate(blocks.inputs)]),
            f"  call void @block{lanes.tag}(ptr %in, ptr %out)",
            *_each_lane(
                "give", "take_end", lanes, [_move(lanes, count + i, o, "out") for i, o in enumerate(blocks.outputs)]
            ),
            "  ret void",
            "}",
        ]
    )


def _emit_note(lanes: Lanes) -> str:
    arguments = f"ptr %waiting, i64 %count, i64 %first, i{lanes.width} %bits"
    return f"""define internal i64 @note{lanes.tag}({arguments}) noinline {{
entry:
  %all = zext i{lanes.width} %bits to i64
  br label %lane
lane:
  %l = phi i64 [0, %entry], [%l_next, %lane]
  %n = phi i64 [%count, %entry], [%n_next, %lane]
  %sample = add i64 %first, %l
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


def _each_lane(name: str, before: str, lanes: Lanes, moves: Sequence[list[str]]) -> list[str]:
    """Do something for each sample of a block, whose number among all is `%k_<name>`."""
    return [
        f"  br label %{name}",
        f"{name}:",
        f"  %{name}_l = phi i64 [0, %{before}], [%{name}_next, %{name}]",
        f"  %{name}_at = getelementptr i64, ptr %waiting, i64 %{name}_l",
        f"  %k_{name} = load i64, ptr %{name}_at",
        *(line for lines in moves for line in lines),
        f"  %{name}_next = add i64 %{name}_l, 1",
        f"  %{name}_more = icmp slt i64 %{name}_next, {lanes.width}",
        f"  br i1 %{name}_more, label %{name}, label %{name}_end",
        f"{name}_end:",
    ]


def _move(lanes: Lanes, index: int, operand: Operand, block: str) -> list[str]:
    """Move an operand's numbers of one sample to its lane of a block of arguments, or from that of results."""
    name = {"in": "take", "out": "give"}[block]
    lines = point_to_sample(f"{name}{index}", index, name)
    for flat, place in enumerate(operand.places):
        if place < 0:
            continue
        here, position = f"{name}{index}_{flat}", f"%at_{name}{index}"
        for axis in range(len(operand.shape)):
            if coordinate := flat // prod(operand.shape[axis + 1 :]) % operand.shape[axis]:
                lines += [
                    f"  %o_{here}_{axis} = mul i64 %core{index}_{axis}, {coordinate}",
                    f"  %q_{here}_{axis} = getelementptr i8, ptr {position}, i64 %o_{here}_{axis}",
                ]
                position = f"%q_{here}_{axis}"
        ends = [position, f"%m_{here}"][:: 1 if block == "in" else -1]
        lines += [
            f"  %n_{here} = getelementptr {lanes.real}, ptr %{block}, i64 {place}",
            f"  %m_{here} = getelementptr {lanes.scalar}, ptr %n_{here}, i64 %{name}_l",
            f"  %v_{here} = load {lanes.scalar}, ptr {ends[0]}, align {lanes.bytes}",
            f"  store {lanes.scalar} %v_{here}, ptr {ends[1]}, align {lanes.bytes}",
        ]
    return lines


def _load(kind: str, name: str, array: str, index: int) -> list[str]:
    return [
        f"  %at_{name} = getelementptr i64, ptr {array}, i64 {index}",
        f"  %{name} = load {kind}, ptr %at_{name}, align 8",
    ]
