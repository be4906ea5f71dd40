"""Symbolic scalars on a tape: straight-line arithmetic that simplifies itself while it is written.

Every value carries what it is at a few random states. Two values that agree there are one value,
a difference that vanishes there is zero: so algebraic identities that a syntax tree hides
(sin^2 + cos^2 = 1, structural cancellation in elimination) are found for free.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from screwgraph.summary import one_line

SAMPLES = 4
"""Random states at which every value is known while the tape is written."""
WIDE = 64
"""Random states at which a value's sign is judged."""
CANCELLED = 1e-14
"""A sum this much smaller than its terms, at every sample, is zero."""
EQUAL = 1e-14
"""Values that agree this well, relatively and at every sample, are one value."""
CONSTANT = 4e-16
"""A sum whose samples agree this well, relative to its terms, is a constant."""

Number = Any
"""A float (a constant) or a Scalar."""


class Mark(NamedTuple):
    """What a tape knew at some time."""

    __repr__ = one_line

    length: int
    by_form: dict[tuple[Any, ...], Scalar]
    by_value: dict[tuple[int, ...], Scalar]


class Tape:
    """A growing list of operations; `nodes[i]` is (operation, operand ids), operands before results."""

    def __init__(self) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.input_names: list[str] = []
        self._by_form: dict[tuple[Any, ...], Scalar] = {}
        self._by_value: dict[tuple[int, ...], Scalar] = {}
        self._wide_inputs: list[np.ndarray] = []
        self._wide: list[Any] = []

    def input(self, name: str, samples: Sequence[float]) -> Scalar:
        """Add an input; `samples` are `SAMPLES + WIDE` values that it may take."""
        self.input_names.append(name)
        self._wide_inputs.append(np.asarray(samples[SAMPLES:], dtype=float))
        form = ("input", len(self.input_names) - 1)
        return self._record(form, tuple(float(s) for s in samples[:SAMPLES]))

    def constant(self, value: float) -> Scalar:
        """Return the node of a constant."""
        return self._record(("constant", float(value)), (float(value),) * SAMPLES)

    def unary(self, operation: str, a: Scalar, samples: tuple[float, ...]) -> Scalar:
        """Return the node of a function of one value, an old one where an equal one is known."""
        return self._record((operation, a.id), samples)

    def binary(self, operation: str, a: Scalar, b: Scalar, samples: tuple[float, ...]) -> Scalar:
        """Return the node of a function of two values, an old one where an equal one is known."""
        return self._record((operation, a.id, b.id), samples)

    def mark(self) -> Mark:
        """Return what `restore` needs to forget all that is written from here on."""
        return Mark(len(self.nodes), dict(self._by_form), dict(self._by_value))

    def restore(self, mark: Mark) -> None:
        """Forget all operations that were written since a mark; their scalars must not be used any more."""
        del self.nodes[mark.length :], self._wide[mark.length :]
        self._by_form, self._by_value = dict(mark.by_form), dict(mark.by_value)

    def wide_samples(self, value: Scalar) -> np.ndarray:
        """Return the values of a node at `WIDE` random states."""
        with np.errstate(all="ignore"):  # at some random state, anything may vanish
            for node in self.nodes[len(self._wide) : value.id + 1]:
                self._wide.append(self._evaluate(node))
        return np.broadcast_to(self._wide[value.id], (WIDE,))

    def _evaluate(self, node: tuple[Any, ...]) -> Any:
        operation, *operands = node
        if operation == "constant":
            return operands[0]
        if operation == "input":
            return self._wide_inputs[operands[0]]
        return OPERATIONS[operation](*(self._wide[i] for i in operands))

    def _record(self, form: tuple[Any, ...], samples: tuple[float, ...]) -> Scalar:
        known = self._by_form.get(form)
        if known is not None:
            return known
        key = _value_key(samples)
        equal = self._by_value.get(key) if key is not None and form[0] != "input" else None
        if equal is not None and _agree(equal.samples, samples):
            self._by_form[form] = equal
            return equal
        scalar = Scalar(self, len(self.nodes), samples)
        self.nodes.append(form)
        self._by_form[form] = scalar
        if key is not None:
            self._by_value[key] = scalar
        return scalar


class Scalar:
    """A value on a tape: supports + - * / with numbers, sin, cos, and knows its samples."""

    __slots__ = ("id", "samples", "tape")

    def __init__(self, tape: Tape, id: int, samples: tuple[float, ...]) -> None:
        self.tape, self.id, self.samples = tape, id, samples

    def __repr__(self) -> str:
        return f"<{self.tape.nodes[self.id][0]} %{self.id}>"

    def __add__(self, other: Number) -> Number:
        return _sum(self, other)

    __radd__ = __add__

    def __sub__(self, other: Number) -> Number:
        return _difference(self, other)

    def __rsub__(self, other: Number) -> Number:
        return _difference(other, self)

    def __mul__(self, other: Number) -> Number:
        return _product(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> Number:
        return _product(self, reciprocal(other))

    def __rtruediv__(self, other: Number) -> Number:
        return _product(reciprocal(self), other)

    def __neg__(self) -> Number:
        tape, node = self.tape, self.tape.nodes[self.id]
        if node[0] == "neg":
            return _at(tape, node[1])
        if node[0] == "sub":
            a, b = node[1], node[2]
            return tape.binary("sub", _at(tape, b), _at(tape, a), tuple(-s for s in self.samples))
        return tape.unary("neg", self, tuple(-s for s in self.samples))

    def __pos__(self) -> Scalar:
        return self

    def sin(self) -> Scalar:
        """Return the sine (argument in rad)."""
        return self.tape.unary("sin", self, tuple(math.sin(s) for s in self.samples))

    def cos(self) -> Scalar:
        """Return the cosine (argument in rad)."""
        return self.tape.unary("cos", self, tuple(math.cos(s) for s in self.samples))

    def sqrt(self) -> Scalar:
        """Return the square root."""
        return self.tape.unary("sqrt", self, tuple(math.sqrt(s) if s >= 0.0 else math.nan for s in self.samples))


OPERATIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "inv": lambda a: 1.0 / a,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
}
"""What each operation of a tape does, on NumPy values."""


def reciprocal(a: Number) -> Number:
    """Return 1 / a; infinite where a is the constant zero."""
    if not isinstance(a, Scalar):
        return 1.0 / a if a else math.inf
    node = a.tape.nodes[a.id]
    if node[0] == "inv":
        return _at(a.tape, node[1])
    if node[0] == "neg":
        return -reciprocal(_at(a.tape, node[1]))
    return a.tape.unary("inv", a, tuple(1.0 / s if s else math.inf for s in a.samples))


def _sum(a: Scalar, b: Number) -> Number:
    if isinstance(b, Scalar):
        if b.tape.nodes[b.id][0] == "neg":
            return _difference(a, -b)
        if a.tape.nodes[a.id][0] == "neg":
            return _difference(b, -a)
        samples = tuple(x + y for x, y in zip(a.samples, b.samples, strict=True))
        found = _settled(samples, a, b)
        first, second = (a, b) if a.id <= b.id else (b, a)
        return a.tape.binary("add", first, second, samples) if found is None else found
    if not isinstance(b, (float, int)):
        return NotImplemented
    return a if b == 0 else _sum(a, a.tape.constant(b))


def _difference(a: Number, b: Number) -> Number:
    if not isinstance(b, Scalar):
        return _sum(a, -b) if isinstance(b, (float, int)) else NotImplemented
    if not isinstance(a, Scalar):
        if not isinstance(a, (float, int)):
            return NotImplemented
        return -b if a == 0 else _difference(b.tape.constant(a), b)
    if b.tape.nodes[b.id][0] == "neg":
        return _sum(a, -b)
    if a.tape.nodes[a.id][0] == "neg":
        return -_sum(-a, b)
    samples = tuple(x - y for x, y in zip(a.samples, b.samples, strict=True))
    found = _settled(samples, a, b)
    return a.tape.binary("sub", a, b, samples) if found is None else found


def _product(a: Scalar, b: Number) -> Number:
    if not isinstance(b, Scalar):
        if not isinstance(b, (float, int)):
            return NotImplemented
        if b == 0:
            return 0.0
        if b == 1:
            return a
        return -a if b == -1 else _product(a, a.tape.constant(b))
    tape = a.tape
    if tape.nodes[a.id][0] == "neg":
        return -_product(-a, b)
    if tape.nodes[b.id][0] == "neg":
        return -_product(a, -b)
    samples = tuple(x * y for x, y in zip(a.samples, b.samples, strict=True))
    first, second = (a, b) if a.id <= b.id else (b, a)
    return tape.binary("mul", first, second, samples)


def _settled(samples: tuple[float, ...], a: Scalar, b: Scalar) -> float | None:
    """Return the constant that a sum or difference is, if it is one at every sample."""
    if all(abs(s) <= CANCELLED * (abs(x) + abs(y)) for s, x, y in zip(samples, a.samples, b.samples, strict=True)):
        return 0.0
    first = samples[0]
    scale = max(abs(a.samples[0]), abs(b.samples[0]))
    if all(abs(s - first) <= CONSTANT * scale for s in samples):
        return first
    return None


def _at(tape: Tape, id: int) -> Scalar:
    """Return a node as a Scalar; its samples are those that it was recorded with."""
    return tape._by_form[tape.nodes[id]]


def _value_key(samples: tuple[float, ...]) -> tuple[int, ...] | None:
    """Round two samples to 36 bits; values with the same key are candidates for being equal."""
    key: list[int] = []
    for s in samples[:2]:
        if not math.isfinite(s):
            return None
        mantissa, exponent = math.frexp(s)
        key += (round(mantissa * 2.0**36), exponent)
    return tuple(key)


def _agree(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return all(abs(x - y) <= EQUAL * max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))
