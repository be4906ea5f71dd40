"""Symbolic scalars: arithmetic on them is written on their tape, simplified as it is written."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import neg
from typing import TYPE_CHECKING, Any

from screwgraph.base.errors import InputError
from screwgraph.tape.operations import OPERATIONS
from screwgraph.tape.residues import PRIME, Residue, of_number
from screwgraph.tape.residues import reciprocal as inverse

if TYPE_CHECKING:
    from screwgraph.tape.tape import Tape

CANCELLED = 1e-14
"""A sum this much smaller than its terms, at every sample, may be zero but for the rounding of constants."""
CONSTANT = 4e-16
"""A sum whose samples agree this well, relative to its terms, may be a constant."""
NEARLY, GRID = 1e-12, 2.0**40
"""One whose samples agree this well may be exactly one: mostly a multiple of the inverse of `GRID`."""
LARGEST_POWER = 16
"""Whole exponents up to which powers are products."""

Number = Any
"""A float (a constant) or a Scalar."""


def _method(operation: str, reverse: bool = False) -> Callable[..., Any]:
    def method(self: Scalar, *others: Number) -> Any:
        operands = (self, *others)
        return self.tape.function(operation, *(reversed(operands) if reverse else operands))

    return method


class Scalar:
    """A value on a tape: what NumPy's operators and functions make of it is written on the tape.

    `residue` is its value modulo a prime at a random point: what has equal ones is equal. `samples` are its values at
    random states; both are missing where the tape merges by form. It is `certain` that what has no kinks made it.
    """

    __slots__ = ("certain", "id", "residue", "samples", "tape")

    def __init__(self, tape: Tape, id: int, residue: Residue, samples: tuple[float, ...], certain: bool) -> None:
        self.tape, self.id, self.residue, self.samples, self.certain = tape, id, residue, samples, certain

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
        samples, residue = tuple(map(neg, self.samples)), self.residue and PRIME - self.residue
        if node[0] == "sub":
            return tape.record(("sub", node[2], node[1]), residue, samples, self.certain)
        return tape.record(("neg", self.id), residue, samples, self.certain, apart=node[0] == "guard")

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
        function = self.tape.function
        chosen = 0.0 if is_zero(yes) else function("where", self, yes)
        return chosen if is_zero(no) else chosen + function("where", function("not", self), no)

    # NumPy calls these on arrays of objects.
    sqrt, exp, log = _method("sqrt"), _method("exp"), _method("log")
    tan, arcsin, arccos = _method("tan"), _method("asin"), _method("acos")
    arctan, arctan2 = _method("atan"), _method("atan2")
    sinh, cosh, tanh = _method("sinh"), _method("cosh"), _method("tanh")
    arcsinh, arccosh, arctanh = _method("asinh"), _method("acosh"), _method("atanh")
    floor, ceil = _method("floor"), _method("ceil")

    def sin(self) -> Scalar:
        """Return the sine (argument in rad)."""
        return self.tape.function("sin", self)

    def cos(self) -> Scalar:
        """Return the cosine (argument in rad)."""
        return self.tape.function("cos", self)


def is_zero(a: Number) -> bool:
    """Whether a number is the constant zero."""
    return not isinstance(a, Scalar) and a == 0.0


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
    residue = inverse(a.residue) if a.residue else None
    return tape.record(("inv", a.id), residue, samples, a.certain, apart=node[0] == "guard")


def guard(a: Number, bound: Number) -> Number:
    """Return a where |a| > bound, else NaN: its negative and reciprocal are not those of a, though samples agree."""
    if not isinstance(a, Scalar):
        return (
            bound.tape.function("guard", a, bound) if isinstance(bound, Scalar) else a if abs(a) > bound else math.nan
        )
    tape, node = a.tape, a.tape.nodes[a.id]
    if node[0] == "neg":
        return -guard(tape.at(node[1]), bound)
    if isinstance(bound, Scalar):
        return tape.record(("guard", a.id, bound.id), a.residue, a.samples, a.certain, apart=True)
    return tape.guard(a, bound)


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
        form = ("add", a.id, b.id) if a.id <= b.id else ("add", b.id, a.id)
        x, y, u, v = a.samples, b.samples, a.residue, b.residue
        if not x:
            return a.tape.record(form, None, (), False)
        samples = (x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3])
        residue = None if u is None or v is None else (u + v) % PRIME
        return _written_sum(form, residue, samples, a, b)
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
    form, x, y, u, v = ("sub", a.id, b.id), a.samples, b.samples, a.residue, b.residue
    if not x:
        return a.tape.record(form, None, (), False)
    samples = (x[0] - y[0], x[1] - y[1], x[2] - y[2], x[3] - y[3])
    residue = None if u is None or v is None else (u - v) % PRIME
    return _written_sum(form, residue, samples, a, b)


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
    form = ("mul", a.id, b.id) if a.id <= b.id else ("mul", b.id, a.id)
    x, y, u, v = a.samples, b.samples, a.residue, b.residue
    if not x:
        return a.tape.record(form, None, (), False)
    samples = (x[0] * y[0], x[1] * y[1], x[2] * y[2], x[3] * y[3])
    residue = None if u is None or v is None else u * v % PRIME
    return a.tape.record(form, residue, samples, a.certain and b.certain)


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


def _written_sum(form: tuple[Any, ...], residue: Residue, samples: tuple[float, ...], a: Scalar, b: Scalar) -> Number:
    """Return the node of a sum or difference, or the constant that it is."""
    tape, certain = a.tape, a.certain and b.certain
    if residue == 0:
        return 0.0
    if form in tape.written:
        return tape.written[form]
    first, x, y = samples[0], abs(a.samples[0]), abs(b.samples[0])  # the first sample rules most out
    if certain and abs(first) <= CANCELLED * (x + y) and _vanish(samples, a, b) and tape.settles(form, 0.0):
        return 0.0
    size = max(x, y)
    if abs(samples[1] - first) <= NEARLY * size and (change := max(abs(s - first) for s in samples)) <= NEARLY * size:
        for value in (first, round(first * GRID) / GRID) if residue is not None else ():
            if of_number(value) == residue:
                return value
        if certain and change <= CONSTANT * size and tape.settles(form, first):
            return first
    return tape.record(form, residue, samples, certain)


def _vanish(samples: tuple[float, ...], a: Scalar, b: Scalar) -> bool:
    """Whether a sum is small beside its terms at every sample."""
    return all(abs(s) <= CANCELLED * (abs(x) + abs(y)) for s, x, y in zip(samples, a.samples, b.samples, strict=True))
