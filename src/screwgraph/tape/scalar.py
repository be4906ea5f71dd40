"""Symbolic scalars on a tape: straight-line arithmetic that simplifies itself while it is written.

On a tape that merges by value, every value carries what it is at a few random states. Two values that agree there are
one value, a difference that vanishes there is zero: so algebraic identities that a syntax tree hides
(sin^2 + cos^2 = 1, structural cancellation in elimination) are found for free. On a tape that merges by form, equal
operations on equal operands are one value: for expressions with conditions, and where many derivatives are to be made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import numpy as np

from screwgraph.errors import InputError
from screwgraph.summary import one_line
from screwgraph.tape.fine import FineValues, is_near
from screwgraph.tape.operations import OPERATIONS

SAMPLES = 4
"""Random states at which every value is known while the tape is written."""
WIDE = 64
"""Random states at which a value's sign is judged."""
CANCELLED = 1e-14
"""A sum this much smaller than its terms, at every sample, may be zero: many digits tell."""
EQUAL = 1e-14
"""Values that agree this well, relatively and at every sample, may be one value: many digits tell."""
CONSTANT = 4e-16
"""A sum whose samples agree this well, relative to its terms, is a constant."""
LARGEST_POWER = 16
"""Whole exponents up to which powers are products."""

Number = Any
"""A float (a constant) or a Scalar."""


class Mark(NamedTuple):
    """What a tape knew at some time."""

    __repr__ = one_line

    length: int
    by_form: dict[tuple[Any, ...], Scalar]
    by_value: dict[tuple[int, ...], tuple[Scalar, ...]]


class Tape:
    """A growing list of operations; `nodes[i]` is (operation, operand ids), operands before results.

    Values are merged by "value", which random samples of the inputs tell, or by "form" only.
    """

    def __init__(self, merge: Literal["value", "form"] = "value") -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.input_names: list[str] = []
        self.by_value = merge == "value"
        self._by_form: dict[tuple[Any, ...], Scalar] = {}
        self._by_value: dict[tuple[int, ...], tuple[Scalar, ...]] = {}
        self._wide_inputs: list[np.ndarray] = []
        self._wide: list[Any] = []
        self._fine_inputs: list[float] = []
        self._fine = [FineValues(self.nodes, self._fine_inputs)]

    def input(self, name: str, samples: Sequence[float] = ()) -> Scalar:
        """Add an input; `samples` are `SAMPLES + WIDE` values that it may take, where values are merged by value."""
        self.input_names.append(name)
        self._fine_inputs.append(float(samples[0]) if len(samples) else math.nan)
        self._wide_inputs.append(np.asarray(samples[SAMPLES:], dtype=float))
        form = ("input", len(self.input_names) - 1)
        known = tuple(float(s) for s in samples[:SAMPLES]) if self.by_value else ()
        return self.record(form, known, self.by_value)

    def inputs(self, name: str, shape: tuple[int, ...]) -> Any:
        """Return an array of inputs of a tape that merges by form: `name[0]`, or `name[0, 1]`; a Scalar if it is ()."""
        found = np.empty(shape, dtype=object)
        for place in np.ndindex(shape):
            found[place] = self.input(f"{name}{list(place)}")
        return found[()]

    def constant(self, value: float) -> Scalar:
        """Return the node of a constant."""
        value = float(value)
        return self.record(("constant", value), (value,) * SAMPLES if self.by_value else (), self.by_value)

    def distrust(self, small: float) -> None:
        """From here on, let values count as equal only if they stay so where constants up to `small` are larger."""
        self._fine = [self._fine[0], FineValues(self.nodes, self._fine_inputs, small)]

    def function(self, operation: str, *operands: Number) -> Scalar:
        """Return the node of an operation of the table on operands one of which, at least, is a Scalar."""
        scalars = [o if isinstance(o, Scalar) else self.constant(o) for o in operands]
        known = OPERATIONS[operation]
        samples: tuple[float, ...] = ()
        if self.by_value:
            with np.errstate(all="ignore"):
                samples = tuple(float(known.values(*at)) for at in zip(*(s.samples for s in scalars), strict=True))
        certain = known.entire and all(s.certain for s in scalars)
        return self.record((operation, *(s.id for s in scalars)), samples, certain)

    def mark(self) -> Mark:
        """Return what `restore` needs to forget all that is written from here on."""
        return Mark(len(self.nodes), dict(self._by_form), dict(self._by_value))

    def restore(self, mark: Mark) -> None:
        """Forget all operations that were written since a mark; their scalars must not be used any more."""
        del self.nodes[mark.length :], self._wide[mark.length :]
        for fine in self._fine:
            fine.forget(mark.length)
        self._by_form, self._by_value = dict(mark.by_form), dict(mark.by_value)

    def wide_samples(self, value: Scalar) -> np.ndarray:
        """Return the values of a node at `WIDE` random states."""
        if value.id >= len(self._wide):
            with np.errstate(all="ignore"):  # at some random state, anything may vanish
                for node in self.nodes[len(self._wide) : value.id + 1]:
                    self._wide.append(self._evaluate(node))
        found = self._wide[value.id]
        return found if np.shape(found) else np.full(WIDE, found)

    def _evaluate(self, node: tuple[Any, ...]) -> Any:
        operation, *operands = node
        if operation == "constant":
            return operands[0]
        if operation == "input":
            return self._wide_inputs[operands[0]]
        return OPERATIONS[operation].values(*(self._wide[i] for i in operands))

    def at(self, id: int) -> Scalar:
        """Return a node as a Scalar."""
        return self._by_form[self.nodes[id]]

    def record(self, form: tuple[Any, ...], samples: tuple[float, ...], certain: bool, apart: bool = False) -> Scalar:
        """Return the node of an operation on nodes, an old one where an equal one is known; `apart`, of that form."""
        known = self._by_form.get(form)
        if known is not None:
            return known
        key = _value_key(samples) if certain and not apart else None
        close = self._by_value.get(key, ()) if key is not None else ()
        for equal in close if form[0] != "input" else ():
            if _agree(equal.samples, samples) and self._is_same(form, equal):
                self._by_form[form] = equal
                return equal
        scalar = Scalar(self, len(self.nodes), samples, certain)
        self.nodes.append(form)
        self._by_form[form] = scalar
        if key is not None:
            self._by_value[key] = (*close, scalar)
        return scalar

    def _is_same(self, form: tuple[Any, ...], node: Scalar) -> bool:
        """Whether an operation's value is a node's, at a state and to many digits."""
        return all(is_near(fine.of_form(form), (value := fine.of(node.id)), value) for fine in self._fine)

    def settles(self, form: tuple[Any, ...], constant: float) -> bool:
        """Whether a sum or difference is a constant, beside its terms, at a state and to many digits."""
        value = Decimal(constant)
        sums = ((fine.of_form(form), fine.of(form[1]), fine.of(form[2])) for fine in self._fine)
        return all(is_near(total, value, a, b) for total, a, b in sums)


def _method(operation: str, reverse: bool = False) -> Callable[..., Any]:
    def method(self: Scalar, *others: Number) -> Any:
        operands = (self, *others)
        return self.tape.function(operation, *(reversed(operands) if reverse else operands))

    return method


class Scalar:
    """A value on a tape: what NumPy's operators and functions make of it is written on the tape.

    `samples` are its values at random states, none where the tape merges by form; it is `certain` that values of equal
    samples are equal.
    """

    __slots__ = ("certain", "id", "samples", "tape")

    def __init__(self, tape: Tape, id: int, samples: tuple[float, ...], certain: bool) -> None:
        self.tape, self.id, self.samples, self.certain = tape, id, samples, certain

    def __repr__(self) -> str:
        return f"<{self.tape.nodes[self.id][0]} %{self.id}>"

    def __bool__(self) -> bool:
        raise InputError(
            "a condition on an unknown value has no truth value yet",
            fix="use screwgraph.spatial.choose(condition, yes, no), minimum or maximum in the place of `if`",
        )

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
            return tape.at(node[1])
        samples = tuple([-s for s in self.samples])
        if node[0] == "sub":
            return tape.record(("sub", node[2], node[1]), samples, self.certain)
        return tape.record(("neg", self.id), samples, self.certain)

    def __pos__(self) -> Scalar:
        return self

    def __pow__(self, exponent: Number) -> Number:
        return _power(self, exponent)

    __rpow__ = _method("pow", reverse=True)
    __mod__ = _method("fmod")
    __abs__ = _method("abs")
    __floor__, __ceil__ = _method("floor"), _method("ceil")
    __lt__, __le__ = _method("lt"), _method("le")
    __gt__, __ge__ = _method("lt", reverse=True), _method("le", reverse=True)

    minimum, maximum, sign = _method("min"), _method("max"), _method("sign")

    def if_else(self, yes: Number, no: Number) -> Number:
        """Return `yes` where this condition is true, else `no`."""
        where, negated = self.tape.function, self.tape.function("not", self)
        return where("where", self, yes) + where("where", negated, no)

    # NumPy calls these on arrays of objects.
    sqrt, exp, log = _method("sqrt"), _method("exp"), _method("log")
    tan, arcsin, arccos = _method("tan"), _method("asin"), _method("acos")
    arctan, arctan2 = _method("atan"), _method("atan2")
    sinh, cosh, tanh = _method("sinh"), _method("cosh"), _method("tanh")
    arcsinh, arccosh, arctanh = _method("asinh"), _method("acosh"), _method("atanh")
    floor, ceil = _method("floor"), _method("ceil")

    def sin(self) -> Scalar:
        """Return the sine (argument in rad)."""
        return self.tape.record(("sin", self.id), tuple([math.sin(s) for s in self.samples]), self.certain)

    def cos(self) -> Scalar:
        """Return the cosine (argument in rad)."""
        return self.tape.record(("cos", self.id), tuple([math.cos(s) for s in self.samples]), self.certain)


def tape_of(values: np.ndarray) -> Tape:
    """Return the tape of an array of scalars and floats."""
    return next(x.tape for x in values.flat if isinstance(x, Scalar))


def reciprocal(a: Number) -> Number:
    """Return 1 / a; infinite where a is the constant zero."""
    if not isinstance(a, Scalar):
        return 1.0 / a if a else math.inf
    tape, node = a.tape, a.tape.nodes[a.id]
    if node[0] == "inv":
        return tape.at(node[1])
    if node[0] == "neg":
        return -reciprocal(tape.at(node[1]))
    samples = tuple([1.0 / s if s else math.inf for s in a.samples])
    return tape.record(("inv", a.id), samples, a.certain)


def guard(a: Number, bound: Number) -> Number:
    """Return a where |a| > bound, else NaN: never merged with a itself, though their samples agree."""
    if not isinstance(a, Scalar) or isinstance(bound, Scalar):
        tape = next((x.tape for x in (a, bound) if isinstance(x, Scalar)), None)
        return tape.function("guard", a, bound) if tape else a if abs(a) > bound else math.nan
    tape, node = a.tape, a.tape.nodes[a.id]
    if node[0] == "neg":
        return -guard(tape.at(node[1]), bound)
    return tape.record(("guard", a.id, tape.constant(bound).id), a.samples, a.certain, apart=True)


def apply(operation: str, *operands: Number) -> Number:
    """Return an operation of the table on numbers of any kind, simplified where that is possible."""
    if operation in _WRITTEN:
        return _WRITTEN[operation](*operands)
    tape = next((o.tape for o in operands if isinstance(o, Scalar)), None)
    if tape is not None:
        return tape.function(operation, *operands)
    return OPERATIONS[operation].values(*operands)


def _sum(a: Scalar, b: Number) -> Number:
    if isinstance(b, Scalar):
        nodes = a.tape.nodes
        if nodes[b.id][0] == "neg":
            return _difference(a, -b)
        if nodes[a.id][0] == "neg":
            return _difference(b, -a)
        certain = a.certain and b.certain
        samples = tuple([x + y for x, y in zip(a.samples, b.samples, strict=True)])
        form = ("add", a.id, b.id) if a.id <= b.id else ("add", b.id, a.id)
        found = _settled(form, samples, a, b) if certain else None
        return a.tape.record(form, samples, certain) if found is None else found
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
    nodes = a.tape.nodes
    if nodes[b.id][0] == "neg":
        return _sum(a, -b)
    if nodes[a.id][0] == "neg":
        return -_sum(-a, b)
    if a is b:
        return 0.0
    certain = a.certain and b.certain
    samples = tuple([x - y for x, y in zip(a.samples, b.samples, strict=True)])
    form = ("sub", a.id, b.id)
    found = _settled(form, samples, a, b) if certain else None
    return a.tape.record(form, samples, certain) if found is None else found


def _product(a: Scalar, b: Number) -> Number:
    if not isinstance(b, Scalar):
        if not isinstance(b, (float, int)):
            return NotImplemented
        if b == 0:
            return 0.0
        if b == 1:
            return a
        return -a if b == -1 else _product(a, a.tape.constant(b))
    nodes = a.tape.nodes
    if nodes[a.id][0] == "neg":
        return -_product(-a, b)
    if nodes[b.id][0] == "neg":
        return -_product(a, -b)
    samples = tuple([x * y for x, y in zip(a.samples, b.samples, strict=True)])
    form = ("mul", a.id, b.id) if a.id <= b.id else ("mul", b.id, a.id)
    return a.tape.record(form, samples, a.certain and b.certain)


def _power(a: Scalar, exponent: Number) -> Number:
    if isinstance(exponent, Scalar) or not isinstance(exponent, (float, int)):
        return a.tape.function("pow", a, exponent)
    if exponent < 0:
        return reciprocal(_power(a, -exponent))
    if exponent == 0.5:
        return a.sqrt()
    if exponent != int(exponent) or exponent > LARGEST_POWER:
        return a.tape.function("pow", a, exponent)
    result, square, rest = 1.0, a, int(exponent)
    while rest:
        if rest & 1:
            result = square * result
        square, rest = square * square, rest >> 1
    return result


_WRITTEN: dict[str, Callable[..., Number]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "neg": lambda a: -a,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a * reciprocal(b),
    "inv": reciprocal,
    "guard": guard,
    "pow": lambda a, b: a**b,
}
"""Operations that simplify themselves."""


def _settled(form: tuple[Any, ...], samples: tuple[float, ...], a: Scalar, b: Scalar) -> float | None:
    """Return the constant that a sum or difference is, if it is one at every sample."""
    if all(abs(s) <= CANCELLED * (abs(x) + abs(y)) for s, x, y in zip(samples, a.samples, b.samples, strict=True)):
        return 0.0 if a.tape.settles(form, 0.0) else None
    first = samples[0]
    scale = max(abs(a.samples[0]), abs(b.samples[0]))
    if all(abs(s - first) <= CONSTANT * scale for s in samples):
        return first if a.tape.settles(form, first) else None
    return None


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
