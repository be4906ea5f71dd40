"""The loop over samples, with the signature of NumPy's inner loops: (args, dimensions, steps, data)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.compiler.llvm.text import real

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Operand:
    """An argument or the result: its core shape, and its numbers' places among the block's (-1: not used)."""

    shape: Shape
    places: tuple[int, ...]


def loop(inputs: Sequence[Operand], output: Operand, count_in: int, width: int) -> str:
    """Return `@loop`: blocks of `width` samples as long as there are that many, then single samples."""
    operands = [*inputs, output]
    size_out = len(output.places)
    lines = [
        "define void @loop(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {",
        "entry:",
        f"  %in = alloca [{max(count_in, 1) * width} x double], align 64",
        f"  %out = alloca [{max(size_out, 1) * width} x double], align 64",
        "  %count = load i64, ptr %dimensions, align 8",
    ]
    core = len(operands)
    for i, operand in enumerate(operands):
        lines += _load("ptr", f"base{i}", "%args", i) + _load("i64", f"outer{i}", "%steps", i)
        for axis in range(len(operand.shape)):
            lines += _load("i64", f"core{i}_{axis}", "%steps", core)
            core += 1
    lines += [f"  %blocks_end = sub i64 %count, {width - 1}", "  br label %wide_test"]
    for name, step, after in (("wide", width, "single_test"), ("single", 1, "end")):
        start = "0, %entry" if name == "wide" else "%k_wide, %wide_test"
        end = "%blocks_end" if name == "wide" else "%count"
        lines += [
            f"{name}_test:",
            f"  %k_{name} = phi i64 [{start}], [%next_{name}, %{name}]",
            f"  %more_{name} = icmp slt i64 %k_{name}, {end}",
            f"  br i1 %more_{name}, label %{name}, label %{after}",
            f"{name}:",
        ]
        for i, operand in enumerate(inputs):
            lines += _moves(f"{name}{i}", operand, i, step, "gather", "%in")
        lines.append(f"  call void @block{step}(ptr %in, ptr %out)")
        lines += _moves(f"{name}{len(inputs)}", output, len(inputs), step, "scatter", "%out")
        lines += [f"  %next_{name} = add i64 %k_{name}, {step}", f"  br label %{name}_test"]
    return "\n".join([*lines, "end:", "  ret void", "}"])


def _load(kind: str, name: str, array: str, index: int) -> list[str]:
    return [
        f"  %at_{name} = getelementptr i64, ptr {array}, i64 {index}",
        f"  %{name} = load {kind}, ptr %at_{name}, align 8",
    ]


def _moves(tag: str, operand: Operand, index: int, width: int, move: str, memory: str) -> list[str]:
    """Move an operand's numbers between its array and the block; runs of neighbouring places go together."""
    prefix = tag.rstrip("0123456789")
    lines = [
        f"  %off_{tag} = mul i64 %k_{prefix}, %outer{index}",
        f"  %from_{tag} = getelementptr i8, ptr %base{index}, i64 %off_{tag}",
    ]
    for run, (flat, place, length) in enumerate(_runs(operand)):
        here = f"{tag}_{run}"
        position = f"%from_{tag}"
        for axis, coordinate in enumerate(_unflatten(flat, operand.shape)):
            if coordinate:
                lines.append(f"  %o_{here}_{axis} = mul i64 %core{index}_{axis}, {coordinate}")
                lines.append(f"  %q_{here}_{axis} = getelementptr i8, ptr {position}, i64 %o_{here}_{axis}")
                position = f"%q_{here}_{axis}"
        stride = f"%core{index}_{len(operand.shape) - 1}"
        lines.append(f"  %m_{here} = getelementptr {real(width)}, ptr {memory}, i64 {place}")
        arguments = f"ptr {position}, i64 {length}, i64 {stride}, i64 %outer{index}, ptr %m_{here}"
        lines.append(f"  call void @{move}{width}({arguments})")
    return lines


def _runs(operand: Operand) -> list[tuple[int, int, int]]:
    """Return (flat index, place, length) of stretches that are consecutive in both, within one row of the last axis."""
    row = operand.shape[-1]
    runs: list[tuple[int, int, int]] = []
    for flat, place in enumerate(operand.places):
        if place < 0:
            continue
        if runs and flat % row:
            start, first, length = runs[-1]
            if start + length == flat and first + length == place:
                runs[-1] = (start, first, length + 1)
                continue
        runs.append((flat, place, 1))
    return runs


def _unflatten(flat: int, shape: Shape) -> list[int]:
    coordinates = []
    for size in reversed(shape):
        coordinates.append(flat % size)
        flat //= size
    return coordinates[::-1]


def moves(width: int) -> str:
    """Return `@gather<width>` and `@scatter<width>`: `length` numbers of `width` samples between an array and a block.

    Neighbouring samples that stand together move as vectors.
    """
    return "\n".join(_move(name, width) for name in ("gather", "scatter"))


def _move(name: str, width: int) -> str:
    D = real(width)
    source, target = ("%p", "%b") if name == "gather" else ("%b", "%p")
    lane_from, lane_to = ("%pl", "%bl") if name == "gather" else ("%bl", "%pl")
    return f"""
define internal void @{name}{width}(ptr %array, i64 %length, i64 %core, i64 %outer, ptr %block) noinline {{
entry:
  %together = icmp eq i64 %outer, 8
  br label %number
number:
  %i = phi i64 [0, %entry], [%i_next, %step]
  %o = mul i64 %i, %core
  %p = getelementptr i8, ptr %array, i64 %o
  %b = getelementptr {D}, ptr %block, i64 %i
  br i1 %together, label %vector, label %lane
vector:
  %v = load {D}, ptr {source}, align 8
  store {D} %v, ptr {target}, align 8
  br label %step
lane:
  %l = phi i64 [0, %number], [%l_next, %lane]
  %lo = mul i64 %l, %outer
  %pl = getelementptr i8, ptr %p, i64 %lo
  %bl = getelementptr double, ptr %b, i64 %l
  %x = load double, ptr {lane_from}, align 8
  store double %x, ptr {lane_to}, align 8
  %l_next = add i64 %l, 1
  %l_more = icmp slt i64 %l_next, {width}
  br i1 %l_more, label %lane, label %step
step:
  %i_next = add i64 %i, 1
  %more = icmp slt i64 %i_next, %length
  br i1 %more, label %number, label %end
end:
  ret void
}}"""
