"""The loop over samples, with the signature of NumPy's inner loops: (args, dimensions, steps, data)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from screwgraph.compiler.llvm.text import Lanes

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Operand:
    """An argument or a result: its core shape, and its numbers' places among the block's (-1: not used)."""

    shape: Shape
    places: tuple[int, ...]

    @cached_property
    def runs(self) -> list[tuple[int, int, int]]:
        """Stretches (flat index, place, length) that are consecutive in both, within one row of the last axis."""
        row = self.shape[-1]
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


def loop(inputs: Sequence[Operand], outputs: Sequence[Operand], wide: Lanes, single: Lanes) -> str:
    """Return `@loop`: blocks of many samples as long as there are that many, then single samples."""
    operands = [*inputs, *outputs]
    lines = [
        "define void @loop(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {",
        "entry:",
        f"  %in = alloca [{_size(inputs) * wide.width} x {wide.scalar}], align 64",
        f"  %out = alloca [{_size(outputs) * wide.width} x {wide.scalar}], align 64",
        "  %count = load i64, ptr %dimensions, align 8",
    ]
    core = len(operands)
    for i, operand in enumerate(operands):
        lines += _load("ptr", f"base{i}", "%args", i) + _load("i64", f"outer{i}", "%steps", i)
        for axis in range(len(operand.shape)):
            lines += _load("i64", f"core{i}_{axis}", "%steps", core)
            core += 1
    lines += [f"  %blocks_end = sub i64 %count, {wide.width - 1}", "  br label %wide_test"]
    for name, lanes, after in (("wide", wide, "single_test"), ("single", single, "end")):
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
            lines += _moves(f"{name}{i}", operand, i, lanes, "gather", "%in")
        lines.append(f"  call void @block{lanes.tag}(ptr %in, ptr %out)")
        for i, operand in enumerate(outputs, len(inputs)):
            lines += _moves(f"{name}{i}", operand, i, lanes, "scatter", "%out")
        lines += [f"  %next_{name} = add i64 %k_{name}, {lanes.width}", f"  br label %{name}_test"]
    return "\n".join([*lines, "end:", "  ret void", "}"])


def lengths(operands: Sequence[Operand]) -> list[int]:
    """Return the lengths of all stretches that are moved at once, each once."""
    return sorted({length for operand in operands for _, _, length in operand.runs})


def _size(operands: Sequence[Operand]) -> int:
    return max((place + 1 for operand in operands for place in operand.places), default=1) or 1


def _load(kind: str, name: str, array: str, index: int) -> list[str]:
    return [
        f"  %at_{name} = getelementptr i64, ptr {array}, i64 {index}",
        f"  %{name} = load {kind}, ptr %at_{name}, align 8",
    ]


def _moves(tag: str, operand: Operand, index: int, lanes: Lanes, move: str, memory: str) -> list[str]:
    """Move an operand's numbers between its array and the block; runs of neighbouring places go together."""
    prefix = tag.rstrip("0123456789")
    lines = [
        f"  %off_{tag} = mul i64 %k_{prefix}, %outer{index}",
        f"  %from_{tag} = getelementptr i8, ptr %base{index}, i64 %off_{tag}",
    ]
    for run, (flat, place, length) in enumerate(operand.runs):
        here = f"{tag}_{run}"
        position = f"%from_{tag}"
        for axis, coordinate in enumerate(_unflatten(flat, operand.shape)):
            if coordinate:
                lines.append(f"  %o_{here}_{axis} = mul i64 %core{index}_{axis}, {coordinate}")
                lines.append(f"  %q_{here}_{axis} = getelementptr i8, ptr {position}, i64 %o_{here}_{axis}")
                position = f"%q_{here}_{axis}"
        stride = f"%core{index}_{len(operand.shape) - 1}"
        lines.append(f"  %m_{here} = getelementptr {lanes.real}, ptr {memory}, i64 {place}")
        arguments = f"ptr {position}, i64 {stride}, i64 %outer{index}, ptr %m_{here}"
        lines.append(f"  call void @{move}{lanes.tag}_{length}({arguments})")
    return lines


def _unflatten(flat: int, shape: Shape) -> list[int]:
    coordinates = []
    for size in reversed(shape):
        coordinates.append(flat % size)
        flat //= size
    return coordinates[::-1]
