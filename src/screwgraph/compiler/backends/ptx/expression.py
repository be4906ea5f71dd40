"""Formulas of doubles as lines of LLVM assembly: what functions of kernels are written in."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from screwgraph.compiler.backends.llvm.ir_text import Lanes

DOUBLE = Lanes(1, 64)


@dataclass
class Lines:
    """Lines under construction, each of which gives a value a new name."""

    text: list[str] = field(default_factory=list)

    def say(self, expression: str) -> str:
        """Give a value a name, and return that."""
        name = f"%t{len(self.text)}"
        self.text.append(f"  {name} = {expression}")
        return name

    def real(self, name: str) -> Real:
        """Return the number of that name."""
        return Real(self, name)

    def constant(self, value: float) -> Real:
        """Return a constant."""
        return Real(self, DOUBLE.number(value))

    def of_bits(self, bits: str) -> Real:
        """Return the number that an integer's bits are."""
        return Real(self, self.say(f"bitcast i64 {bits} to double"))


@dataclass(frozen=True)
class Truth:
    """Whether something holds."""

    lines: Lines
    name: str

    def __and__(self, other: Truth) -> Truth:
        return Truth(self.lines, self.lines.say(f"and i1 {self.name}, {other.name}"))

    def __invert__(self) -> Truth:
        return Truth(self.lines, self.lines.say(f"xor i1 {self.name}, true"))

    def choose(self, yes: Real | float, no: Real | float) -> Real:
        """Return one number where this holds, else the other."""
        a, b = (x if isinstance(x, Real) else self.lines.constant(x) for x in (yes, no))
        return Real(self.lines, self.lines.say(f"select i1 {self.name}, double {a.name}, double {b.name}"))


@dataclass(frozen=True, eq=False)
class Real:
    """A double; comparisons with NaN do not hold."""

    lines: Lines
    name: str

    def __add__(self, other: Real | float) -> Real:
        return self._combine("fadd", other)

    def __sub__(self, other: Real | float) -> Real:
        return self._combine("fsub", other)

    def __rsub__(self, other: float) -> Real:
        return self.lines.constant(other) - self

    def __mul__(self, other: Real | float) -> Real:
        return self._combine("fmul", other)

    def __truediv__(self, other: Real | float) -> Real:
        return self._combine("fdiv", other)

    def __rtruediv__(self, other: float) -> Real:
        return self.lines.constant(other) / self

    def __neg__(self) -> Real:
        return Real(self.lines, self.lines.say(f"fneg double {self.name}"))

    def __lt__(self, other: Real | float) -> Truth:
        return self._compare("olt", other)

    def __gt__(self, other: Real | float) -> Truth:
        return self._compare("ogt", other)

    def __ge__(self, other: Real | float) -> Truth:
        return self._compare("oge", other)

    def equals(self, other: Real | float) -> Truth:
        """Whether both are the same number."""
        return self._compare("oeq", other)

    def times_plus(self, factor: Real | float, more: Real | float) -> Real:
        """Return the number times another plus a third, rounded once."""
        return self.call("llvm.fma.f64", factor, more)

    def call(self, function: str, *others: Real | float) -> Real:
        """Return a function of the number, and others."""
        given = ", ".join(f"double {x.name}" for x in (self, *map(self._lift, others)))
        return Real(self.lines, self.lines.say(f"call double @{function}({given})"))

    @property
    def bits(self) -> str:
        """The name of its bits, as an integer."""
        return self.lines.say(f"bitcast double {self.name} to i64")

    @property
    def size(self) -> Real:
        """The number without its sign."""
        return self.lines.of_bits(self.lines.say(f"and i64 {self.bits}, {2**63 - 1}"))

    @property
    def is_signed(self) -> Truth:
        """Whether its sign is minus, that of zero, too."""
        return Truth(self.lines, self.lines.say(f"icmp slt i64 {self.bits}, 0"))

    def signed_as(self, other: Real) -> Real:
        """Return the number, which is not negative, with the sign of another."""
        sign = self.lines.say(f"and i64 {other.bits}, {-(2**63)}")
        return self.lines.of_bits(self.lines.say(f"or i64 {self.bits}, {sign}"))

    def _combine(self, instruction: str, other: Real | float) -> Real:
        return Real(self.lines, self.lines.say(f"{instruction} double {self.name}, {self._lift(other).name}"))

    def _compare(self, relation: str, other: Real | float) -> Truth:
        return Truth(self.lines, self.lines.say(f"fcmp {relation} double {self.name}, {self._lift(other).name}"))

    def _lift(self, other: Real | float) -> Real:
        return other if isinstance(other, Real) else self.lines.constant(other)


def emit_polynomial(x: Real, coefficients: list[float]) -> Real:
    """Return a polynomial, the constant term of which comes first."""
    value = x.lines.constant(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        value = value.times_plus(x, c)
    return value


def float_bits(value: float) -> int:
    """Return the bits of a double, not negative, as an integer."""
    return struct.unpack(">q", struct.pack(">d", value))[0]
