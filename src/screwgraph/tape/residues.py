"""Values of a tape's nodes modulo a prime, at one random point: equal residues are equal values, whatever their size.

A rational function that is not zero has no residue zero but at a few of 10^18 points (Schwartz, 1980; Zippel, 1979).
Sines and cosines are points on the unit circle modulo the prime, powers of one of them: the exponent is the angle
modulo the order of that circle, so that theorems of sums and of multiples of angles hold. Exponentials are powers of a
number. What any other operation makes of its operands is an unknown of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from screwgraph.tape.evaluated import Evaluated

PRIME = 2**60 - 122973
ANGLES = (PRIME + 1) // 4
"""The number of points of a part of the circle x^2 + y^2 = 1; a prime, so that angles have halves and thirds."""
POWERS = (PRIME - 1) // 6
"""The number of powers of a number; a prime, too."""
WINDOW = 4
"""Bits of an exponent that a power takes at a time."""

Residue = int | None
"""None where there is no value: of 1 / 0, or of what is not finite."""
Point = tuple[int, int]


def of_number(value: float, modulus: int = PRIME) -> Residue:
    """Return the residue of a float, which is a fraction."""
    if not math.isfinite(value):
        return None
    above, below = value.as_integer_ratio()
    return above * pow(below, -1, modulus) % modulus if below != 1 else above % modulus


def unknown(*name: Any, modulus: int = PRIME) -> int:
    """Return the residue of an unknown, random but the same for equal names (integers and texts)."""
    mixed = 0x9E3779B97F4A7C15
    for part in name:
        number = int.from_bytes(part.encode(), "little") if isinstance(part, str) else part
        mixed = (mixed ^ number) * 0xBF58476D1CE4E5B9 % (2**89 - 1)
        mixed = (mixed ^ (mixed >> 43)) * 0x94D049BB133111EB1 % (2**89 - 1)
        mixed ^= mixed >> 41
    return mixed % modulus


def unit_vector(unknowns: Sequence[int]) -> list[int]:
    """Return as many residues and one more, whose squares add up to 1: the stereographic projection."""
    squares = sum(u * u for u in unknowns)
    inverse = reciprocal(1 + squares)
    return [*(2 * u * inverse % PRIME for u in unknowns), (1 - squares) * inverse % PRIME]


def reciprocal(a: int, modulus: int = PRIME) -> int:
    """Return 1 / a; a must not be zero."""
    return pow(a, -1, modulus)


def product(p: Point, q: Point) -> Point:
    """Return the point on the circle whose angle is the sum of two."""
    (c, s), (x, y) = p, q
    return (c * x - s * y) % PRIME, (c * y + s * x) % PRIME


@cache
def _powers(kind: str) -> tuple[tuple[Any, ...], ...]:
    """Return powers of the point, or the number, of which all are: those of each digit of an exponent."""
    if kind == "circle":
        (x, y), times = _circle_point(1), product
        one: Any = (1, 0)
        base: Any = (x, y)
        for _ in range(2):  # the fourth power is in the part of the circle
            base = product(base, base)
    else:
        times, one = (lambda a, b: a * b % PRIME), 1
        base = pow(unknown("base"), 6, PRIME)
    found = []
    for _ in range(0, PRIME.bit_length(), WINDOW):
        row = [one]
        for _ in range(2**WINDOW):
            row.append(times(row[-1], base))
        base = row.pop()
        found.append(tuple(row))
    return tuple(found)


def _circle_point(seed: int) -> Point:
    s, c = unit_vector([unknown("circle", seed)])
    return c, s


@lru_cache(maxsize=256)
def cosine_and_sine(angle: int) -> Point:
    """Return the point of an angle, which is known modulo `ANGLES`."""
    found = (1, 0)
    for digits in _powers("circle"):
        if angle & (2**WINDOW - 1):
            found = product(found, digits[angle & (2**WINDOW - 1)])
        angle >>= WINDOW
    return found


@lru_cache(maxsize=256)
def exponential(exponent: int) -> int:
    """Return the power of an exponent, which is known modulo `POWERS`."""
    found = 1
    for digits in _powers("number"):
        found = found * digits[exponent & (2**WINDOW - 1)] % PRIME
        exponent >>= WINDOW
    return found


class Residues:
    """Residues of operations on the nodes of a tape; `of` are those of its nodes."""

    def __init__(self, nodes: Sequence[tuple[Any, ...]]) -> None:
        self._angles = Evaluated(nodes, _leaves(ANGLES), _rational(ANGLES))
        self._exponents = Evaluated(nodes, _leaves(POWERS), _rational(POWERS))

    def forget(self, length: int) -> None:
        """Forget all nodes but the first so many."""
        self._angles.forget(length)
        self._exponents.forget(length)

    def of_function(self, form: tuple[Any, ...], operands: Sequence[Residue]) -> Residue:
        """Return the residue of an operation that is no sum, product or reciprocal."""
        if any(o is None for o in operands):
            return None
        operation, *ids = form
        if operation in _CIRCULAR:
            return _CIRCULAR[operation](*cosine_and_sine(self._angles.value_of(ids[0])))
        if operation in _EXPONENTIAL:
            power = exponential(self._exponents.value_of(ids[0]))
            return _EXPONENTIAL[operation](power, reciprocal(power))
        if operation in _RATIONAL:
            return _RATIONAL[operation](*operands)
        return unknown(operation, *operands)


def _ratio(a: int, b: int, modulus: int = PRIME) -> Residue:
    return a * reciprocal(b, modulus) % modulus if b else None


_HALF = (PRIME + 1) // 2
_CIRCULAR: Mapping[str, Callable[[int, int], Residue]] = MappingProxyType(
    {"sin": lambda c, s: s, "cos": lambda c, s: c, "tan": lambda c, s: _ratio(s, c)}
)
_EXPONENTIAL: Mapping[str, Callable[[int, int], Residue]] = MappingProxyType(
    {
        "exp": lambda e, inverse: e,
        "sinh": lambda e, inverse: (e - inverse) * _HALF % PRIME,
        "cosh": lambda e, inverse: (e + inverse) * _HALF % PRIME,
        "tanh": lambda e, inverse: _ratio(e - inverse, (e + inverse) % PRIME),
    }
)
_RATIONAL: Mapping[str, Callable[..., Residue]] = MappingProxyType({"div": _ratio, "guard": lambda a, bound: a})


def _leaves(modulus: int) -> Callable[[str, Any], int]:
    def leaf(kind: str, value: Any) -> int:
        if kind == "input":
            return unknown("input", value, modulus=modulus)
        found = of_number(value, modulus)
        return unknown("constant", str(value), modulus=modulus) if found is None else found

    return leaf


def _rational(modulus: int) -> Callable[..., int]:
    """Return what operations make of residues modulo another prime; of what is not rational, an unknown."""
    written: dict[str, Callable[..., int]] = {
        "add": lambda a, b: (a + b) % modulus,
        "sub": lambda a, b: (a - b) % modulus,
        "mul": lambda a, b: a * b % modulus,
        "neg": lambda a: -a % modulus,
        "guard": lambda a, bound: a,
    }

    def evaluate(operation: str, *operands: int) -> int:
        if operation in written:
            return written[operation](*operands)
        return unknown(operation, *operands, modulus=modulus)

    return evaluate
