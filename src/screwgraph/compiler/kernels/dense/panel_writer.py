"""Assembly text of loops over panels: names, loops, vectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from screwgraph.compiler.backends.llvm import Lanes

FLAGS = "contract nsz"


@dataclass
class PanelWriter:
    """Lines of one function, on vectors of `lanes.width` doubles; every value has a name of its own."""

    lanes: Lanes
    lines: list[str] = field(default_factory=list)
    _label: str = "entry"

    def begin(self, label: str) -> None:
        """Begin a part to which others branch."""
        self.lines.append(f"{label}:")
        self._label = label

    def value(self, text: str) -> str:
        """Give a value a name."""
        name = f"%x{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Add an instruction without result."""
        self.lines.append(f"  {text}")

    def address(self, pointer: str, index: str | int, offset: int = 0) -> str:
        """Return the address of double `index + offset` behind a pointer."""
        if isinstance(index, int):
            total = index + offset
            return pointer if total == 0 else self.value(f"getelementptr double, ptr {pointer}, i64 {total}")
        moved = self.value(f"getelementptr double, ptr {pointer}, i64 {index}")
        return self.address(moved, offset)

    def load(self, pointer: str, offset: int = 0) -> str:
        """Load a vector."""
        return self.value(f"load {self.lanes.real}, ptr {self.address(pointer, offset)}, align 8")

    def store(self, value: str, pointer: str, offset: int = 0) -> None:
        """Store a vector."""
        self.do(f"store {self.lanes.real} {value}, ptr {self.address(pointer, offset)}, align 8")

    def scalar(self, pointer: str, offset: int = 0) -> str:
        """Load a number."""
        return self.value(f"load double, ptr {self.address(pointer, offset)}, align 8")

    def store_scalar(self, value: str, pointer: str, offset: int = 0) -> None:
        """Store a number."""
        self.do(f"store double {value}, ptr {self.address(pointer, offset)}, align 8")

    def splat(self, scalar: str) -> str:
        """Return a number in every lane."""
        D = self.lanes.real
        one = self.value(f"insertelement {D} poison, double {scalar}, i32 0")
        return self.value(f"shufflevector {D} {one}, {D} poison, <{self.lanes.width} x i32> zeroinitializer")

    def lane(self, vector: str, lane: str | int) -> str:
        """Return a number of a vector."""
        return self.value(f"extractelement {self.lanes.real} {vector}, i64 {lane}")

    def replace(self, vector: str, lane: str | int, scalar: str) -> str:
        """Return a vector with another number in one lane."""
        return self.value(f"insertelement {self.lanes.real} {vector}, double {scalar}, i64 {lane}")

    def spread(self, vector: str, lane: str | int) -> str:
        """Return one of a vector's numbers in every lane."""
        if isinstance(lane, str):
            return self.splat(self.lane(vector, lane))
        D, picked = self.lanes.real, ", ".join([f"i32 {lane}"] * self.lanes.width)
        return self.value(f"shufflevector {D} {vector}, {D} poison, <{self.lanes.width} x i32> <{picked}>")

    def fma(self, a: str, b: str, c: str) -> str:
        """Return a b + c."""
        D = self.lanes.real
        return self.value(f"call {D} {self.lanes.intrinsic('fma')}({D} {a}, {D} {b}, {D} {c})")

    def multiply(self, a: str, b: str) -> str:
        """Return a b of vectors."""
        return self.value(f"fmul {FLAGS} {self.lanes.real} {a}, {b}")

    def negative(self, a: str) -> str:
        """Return -a of a vector."""
        return self.value(f"fneg {FLAGS} {self.lanes.real} {a}")

    def sum(self, a: str) -> str:
        """Return the sum of a vector's numbers."""
        kind = f"@llvm.vector.reduce.fadd.{self.lanes.mangled_type}"
        return self.value(f"call reassoc nsz double {kind}(double -0.0, {self.lanes.real} {a})")

    def keep_after(self, vector: str, lane: str | int) -> str:
        """Return a vector with zeros up to and in a lane."""
        D, width = self.lanes.real, self.lanes.width
        mask = self._lanes_compared("sgt", str(lane))
        return self.value(f"select <{width} x i1> {mask}, {D} {vector}, {D} zeroinitializer")

    def below(self, count: str) -> str:
        """Return the truth values of lane < count."""
        return self._lanes_compared("slt", count)

    def _lanes_compared(self, how: str, number: str) -> str:
        """Compare the lanes' numbers with one number."""
        width = self.lanes.width
        kind, zeros = f"<{width} x i64>", f"<{width} x i32> zeroinitializer"
        one = self.value(f"insertelement {kind} poison, i64 {number}, i32 0")
        every = self.value(f"shufflevector {kind} {one}, {kind} poison, {zeros}")
        numbers = ", ".join(f"i64 {i}" for i in range(width))
        return self.value(f"icmp {how} {kind} <{numbers}>, {every}")

    @contextmanager
    def loop(self, count: str | int, carried: dict[str, str] | None = None, down: bool = False) -> Iterator[Loop]:
        """Write a loop that runs `count` times (maybe never); `carried` are first values of vectors it hands on."""
        name, before = f"l{len(self.lines)}", self._label
        first = self.value(f"sub i64 {count}, 1") if down else "0"
        inside = Loop(self, f"%{name}_i", {key: f"%{name}_{key}" for key in carried or {}})
        self.do(f"br label %{name}")
        self.lines.append(f"{name}:")
        place = len(self.lines)
        self._label = f"{name}_body"
        test = f"icmp sge i64 {inside.index}, 0" if down else f"icmp slt i64 {inside.index}, {count}"
        self.lines += [
            f"  %{name}_go = {test}",
            f"  br i1 %{name}_go, label %{name}_body, label %{name}_end",
            f"{name}_body:",
        ]
        yield inside
        after = self._label
        self.lines.append(f"  %{name}_next = add i64 {inside.index}, {-1 if down else 1}")
        self.do(f"br label %{name}")
        self.lines.append(f"{name}_end:")
        phis = [f"  {inside.index} = phi i64 [{first}, %{before}], [%{name}_next, %{after}]"]
        for key, start in (carried or {}).items():
            D, last = self.lanes.real, inside.handed[key]
            phis.append(f"  {inside.now[key]} = phi {D} [{start}, %{before}], [{last}, %{after}]")
        self.lines[place] = "\n".join([*phis, self.lines[place]])
        self._label = f"{name}_end"


@dataclass
class Loop:
    """Inside of a loop: the index, values as of now, and what is handed on."""

    writer: PanelWriter
    index: str
    now: dict[str, str]
    handed: dict[str, str] = field(default_factory=dict)
