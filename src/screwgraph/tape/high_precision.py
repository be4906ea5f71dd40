"""Values of a tape's nodes at one state, to many digits, and how far the rounding of constants may move them.

Values of a file are rounded, and products of them once more: 0.1 * 0.3 and 0.03 are equal but for that. What is left of
a difference in many digits must be the rounding of the constants in it, and no more: an input has none, however small
it is beside others. What extreme constants (masses of 1 and of 1e-16) make of a value shows where they are less
extreme: values that are equal stay so there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from screwgraph.tape.evaluated import Evaluated
from screwgraph.tape.operations import OPERATIONS

DIGITS = 36
_CONTEXT = Context(prec=DIGITS, traps=[])
_GUARDED = Context(prec=DIGITS + 24, traps=[])
_ROUGH = Context(prec=6, traps=[])
LESS = Decimal(2) ** 70
"""How much less extreme constants are made."""
ROUNDING = Decimal(2) ** -53
EXACT = 12
"""Bits of a constant that is no rounded number: 1, -3, 0.75."""

SAME = Decimal("1e-14")
"""What the rounding of constants may leave between values that are equal, relative to what they are the sums of."""
EXPLAINED = Decimal(10) ** 4
"""How much more than the rounding of its constants that is: they are themselves what rounded numbers add up to."""

TWICE = Decimal(2)
"""And how much more it may be anyway."""

Fine = tuple[Decimal, Decimal]
"""A value, and how far it moves, at most, where each constant moves by its rounding."""


def are_nearly_equal(a: Fine, b: Fine, *terms: Fine) -> bool:
    """Whether two values are finite, and differ by what the rounding of constants makes of some terms."""
    off = _CONTEXT.subtract(a[0], b[0])
    if not off.is_finite():
        return False
    off = off.copy_abs()
    if off.is_zero():
        return True
    moved = max(t[1] for t in (a, b, *terms))
    return off <= TWICE * moved or (off <= EXPLAINED * moved and off <= SAME * max(t[0].copy_abs() for t in terms))


def constant(value: float) -> Fine:
    """Return a constant."""
    return _round_value(Decimal(value), _is_exact(value))


class PreciseValues(Evaluated[Fine]):
    """Values of nodes.

    Constants smaller than `small`, and those larger than its inverse, are made less extreme, all by one factor.
    """

    def __init__(self, nodes: Sequence[tuple[Any, ...]], inputs: Sequence[float], small: float = 0.0) -> None:
        def leaf(kind: str, value: Any) -> Fine:
            if kind == "input":
                return Decimal(inputs[value]), _ZERO
            return _round_value(_moderate(value, small), _is_exact(value)) if small else constant(value)

        super().__init__(nodes, leaf, lambda operation, *operands: _FINE[operation](*operands))


def _is_exact(value: float) -> bool:
    return math.isfinite(value) and math.ldexp(math.frexp(value)[0], EXACT).is_integer()


def _round_value(value: Decimal, is_exact: bool) -> Fine:
    return value, _ZERO if is_exact else _ROUGH.multiply(value.copy_abs(), ROUNDING)


def _moderate(constant: float, small: float) -> Decimal:
    value = Decimal(constant)
    if abs(constant) <= small:
        return _CONTEXT.multiply(value, LESS)
    return _CONTEXT.divide(value, LESS) if abs(constant) * small >= 1.0 else value


_ZERO, _ONE = Decimal(0), Decimal(1)
_LEAST = Decimal(10) ** -(DIGITS + 24)


@lru_cache(maxsize=256)
def _sine_and_cosine(angle: Decimal) -> tuple[Decimal, Decimal]:
    """Sum Taylor's series of a small part of the angle, and double it."""
    multiply, add, divide = _GUARDED.multiply, _GUARDED.add, _GUARDED.divide
    halvings = 4 + max(0, math.frexp(float(angle))[1])
    x = divide(angle, Decimal(2**halvings))
    term, sums, n = Decimal(1), [Decimal(0), Decimal(0)], 0
    while n < 4 or term.copy_abs() > _LEAST:
        sums[n % 2] = add(sums[n % 2], term if n % 4 < 2 else term.copy_negate())
        n += 1
        term = divide(multiply(term, x), Decimal(n))
    c, s = sums
    for _ in range(halvings):
        s, c = multiply(Decimal(2), multiply(s, c)), _GUARDED.subtract(multiply(c, c), multiply(s, s))
    return s, c


def _sine_or_cosine(which: int, a: Fine) -> Fine:
    return _sine_and_cosine(a[0])[which] if a[0].is_finite() else Decimal("nan"), a[1]


def _add(a: Fine, b: Fine) -> Fine:
    return _CONTEXT.add(a[0], b[0]), _ROUGH.add(a[1], b[1])


def _subtract(a: Fine, b: Fine) -> Fine:
    return _CONTEXT.subtract(a[0], b[0]), _ROUGH.add(a[1], b[1])


def _multiply(a: Fine, b: Fine) -> Fine:
    moved = _ROUGH.fma(a[0].copy_abs(), b[1], _ROUGH.multiply(b[0].copy_abs(), a[1]))
    return _CONTEXT.multiply(a[0], b[0]), moved


def _invert(a: Fine) -> Fine:
    value = _CONTEXT.divide(_ONE, a[0])
    return value, _ROUGH.multiply(_ROUGH.multiply(value, value), a[1])


def _root(a: Fine) -> Fine:
    value = _CONTEXT.sqrt(a[0])
    return value, _ROUGH.divide(a[1], _ROUGH.add(value, value))


def _as_double(operation: str) -> Callable[..., Fine]:
    """Return an operation to the digits of doubles, which move it, too."""
    known = OPERATIONS[operation]

    def evaluate(*operands: Fine) -> Fine:
        at = [float(value) for value, _ in operands]
        found = float(known.values(*at))
        value, moved = _round_value(Decimal(found), is_exact=False)
        for rule, (_, error) in zip(known.partials, operands, strict=True):
            if rule is not None and error:
                moved = _ROUGH.fma(Decimal(abs(float(rule(found, *at)))), error, moved)
        return value, moved

    return evaluate


_FINE: Mapping[str, Callable[..., Fine]] = MappingProxyType(
    {name: _as_double(name) for name in OPERATIONS}
    | {
        "add": _add,
        "sub": _subtract,
        "mul": _multiply,
        "div": lambda a, b: _multiply(a, _invert(b)),
        "neg": lambda a: (a[0].copy_negate(), a[1]),
        "inv": _invert,
        "sin": lambda a: _sine_or_cosine(0, a),
        "cos": lambda a: _sine_or_cosine(1, a),
        "sqrt": _root,
        "guard": lambda a, b: a,
    }
)
