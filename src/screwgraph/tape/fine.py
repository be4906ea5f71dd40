"""Values of a tape's nodes at one state, to many digits: what tells equal values from close ones.

Sums and products of doubles differ by rounding where they are equal, and by less than that where constants of very
different size (masses of 1 and of 1e-16) make them unequal. In many digits rounding is gone; only the constants' own is
left. What extreme constants make of a value shows where they are less extreme: values that are equal stay so there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from screwgraph.tape.operations import OPERATIONS

DIGITS = 36
_CONTEXT = Context(prec=DIGITS, traps=[])
_GUARDED = Context(prec=DIGITS + 24, traps=[])
LESS = Decimal(2) ** 70
"""How much less extreme constants are made."""


SAME = Decimal("2e-15")
"""What the rounding of constants may leave between values that are equal, relative to what they are the sums of."""


def is_near(a: Decimal, b: Decimal, *terms: Decimal) -> bool:
    """Whether two values are finite, and differ by no more than the rounding of constants makes of some terms."""
    off = _CONTEXT.subtract(a, b)
    return off.is_finite() and off.copy_abs() <= SAME * max(term.copy_abs() for term in terms)


class FineValues:
    """Values of nodes, computed when they are asked for.

    Constants smaller than `small`, and those larger than its inverse, are made less extreme, all by one factor.
    """

    def __init__(self, nodes: Sequence[tuple[Any, ...]], inputs: Sequence[float], small: float = 0.0) -> None:
        self._nodes, self._inputs, self._small = nodes, inputs, small
        self._known: list[Decimal | None] = []

    def forget(self, length: int) -> None:
        """Forget all nodes but the first so many."""
        del self._known[length:]

    def of(self, id: int) -> Decimal:
        """Return the value of a node; NaN where there is none."""
        known, nodes = self._known, self._nodes
        known.extend([None] * (len(nodes) - len(known)))
        stack = [id]
        while stack:
            i = stack[-1]
            if known[i] is not None:
                stack.pop()
                continue
            node = nodes[i]
            missing = () if node[0] in ("constant", "input") else [o for o in node[1:] if known[o] is None]
            if missing:
                stack += missing
                continue
            known[i] = self._evaluated(node)
            stack.pop()
        return known[id] or Decimal(0)

    def of_form(self, node: tuple[Any, ...]) -> Decimal:
        """Return the value of an operation that is no node yet."""
        for operand in node[1:] if node[0] not in ("constant", "input") else ():
            self.of(operand)
        return self._evaluated(node)

    def _evaluated(self, node: tuple[Any, ...]) -> Decimal:
        operation, *operands = node
        if operation == "constant":
            return _moderate(operands[0], self._small) if self._small else Decimal(operands[0])
        if operation == "input":
            return Decimal(self._inputs[operands[0]])
        return _FINE[operation](*[self._known[o] for o in operands])


def _moderate(constant: float, small: float) -> Decimal:
    value = Decimal(constant)
    if abs(constant) <= small:
        return _CONTEXT.multiply(value, LESS)
    return _CONTEXT.divide(value, LESS) if abs(constant) * small >= 1.0 else value


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


def _sine(angle: Decimal) -> Decimal:
    return _sine_and_cosine(angle)[0] if angle.is_finite() else Decimal("nan")


def _cosine(angle: Decimal) -> Decimal:
    return _sine_and_cosine(angle)[1] if angle.is_finite() else Decimal("nan")


def _as_double(operation: str) -> Callable[..., Decimal]:
    """Return an operation to the digits of doubles."""
    return lambda *operands: Decimal(float(OPERATIONS[operation].values(*map(float, operands))))


_FINE: Mapping[str, Callable[..., Decimal]] = MappingProxyType(
    {name: _as_double(name) for name in OPERATIONS}
    | {
        "add": _CONTEXT.add,
        "sub": _CONTEXT.subtract,
        "mul": _CONTEXT.multiply,
        "div": _CONTEXT.divide,
        "neg": _CONTEXT.minus,
        "inv": lambda a: _CONTEXT.divide(Decimal(1), a),
        "sin": _sine,
        "cos": _cosine,
        "sqrt": _CONTEXT.sqrt,
        "guard": lambda a, b: a,
    }
)
