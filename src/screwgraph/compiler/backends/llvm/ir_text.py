"""Small pieces of LLVM assembly text, for one number or for a vector of numbers."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Lanes:
    """`width` numbers side by side, of `bits` bits each; 1 stands for a plain number, not a vector.

    Blocks of arguments and results hold each number of `samples` samples side by side, by default as many as a vector;
    where results are `past` the caches, they are stored without being read into them.
    """

    width: int
    bits: int = 64
    samples: int = 0
    past: bool = False

    @property
    def tag(self) -> str:
        """Suffix of the names of functions on such numbers."""
        return f"{self.width}x{self.bits}"

    @property
    def bytes(self) -> int:
        """Size of one number."""
        return self.bits // 8

    @cached_property
    def scalar(self) -> str:
        """Type of one number."""
        return "double" if self.bits == 64 else "float"

    @cached_property
    def real(self) -> str:
        """Type of all numbers."""
        return self._all(self.scalar)

    @property
    def sample_stride(self) -> int:
        """How many numbers lie between one number of a sample in a block and the next."""
        return self.samples or self.width

    @cached_property
    def entry(self) -> str:
        """Type of a number of all samples of a block."""
        return self.real if self.sample_stride == self.width else f"[{self.sample_stride} x {self.scalar}]"

    @property
    def store_suffix(self) -> str:
        """How results are stored: how they are aligned, and whether past the caches."""
        return f"align {self.bytes * self.width}, !nontemporal !1" if self.past else f"align {self.bytes}"

    @property
    def integer(self) -> str:
        """Type of as many integers of the same size."""
        return self._all(f"i{self.bits}")

    @property
    def boolean(self) -> str:
        """Type of as many truth values."""
        return self._all("i1")

    def number(self, value: float) -> str:
        """Return a constant in every lane: exact for doubles, rounded for floats."""
        return self._each(self.scalar, "0x" + struct.pack(">d", round_to_bits(value, self.bits)).hex().upper())

    def whole(self, value: int) -> str:
        """Return an integer constant in every lane."""
        return self._each(f"i{self.bits}", str(value))

    def magnitude(self, result: str, value: str, at: str = "") -> list[str]:
        """Return lines that make numbers without their signs integers, which are ordered as numbers, NaN above all.

        Comparing a NaN as a number would raise a floating-point flag. Names end in `at`.
        """
        N = self.integer
        return [
            f"  %bits{at} = bitcast {self.real} {value} to {N}",
            f"  {result} = and {N} %bits{at}, {self.whole(2 ** (self.bits - 1) - 1)}",
        ]

    def as_whole(self, value: float) -> str:
        """Return the bits of a number, not negative, as an integer constant in every lane."""
        number, whole = (">d", ">q") if self.bits == 64 else (">f", ">i")
        return self.whole(struct.unpack(whole, struct.pack(number, value))[0])

    def intrinsic(self, name: str) -> str:
        """Return the name of an intrinsic on such numbers."""
        return f"@llvm.{name}.{self.mangled_type}"

    @property
    def mangled_type(self) -> str:
        """How intrinsics' names write the type."""
        return f"f{self.bits}" if self.width == 1 else f"v{self.width}f{self.bits}"

    def _all(self, kind: str) -> str:
        return kind if self.width == 1 else f"<{self.width} x {kind}>"

    def _each(self, kind: str, text: str) -> str:
        return text if self.width == 1 else f"<{', '.join([f'{kind} {text}'] * self.width)}>"


def round_to_bits(value: float, bits: int) -> float:
    """Return the nearest number of that size; beyond the largest it is infinite."""
    if bits == 64:
        return value
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def emit_intrinsics(lanes: Lanes) -> str:
    """Declare the intrinsics that generated code calls."""
    D = lanes.real
    lines = [f"declare {D} {lanes.intrinsic(name)}({D}, {D}, {D})" for name in ("fma", "fmuladd")]
    if lanes.width > 1:
        lines.append(f"declare i1 @llvm.vector.reduce.or.v{lanes.width}i1({lanes.boolean})")
    return "\n".join(lines)
