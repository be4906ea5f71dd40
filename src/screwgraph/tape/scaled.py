"""Values of a tape's nodes at states whose entries differ by 20 orders of magnitude, and how far rounding moves them.

What is small beside other terms at one state, as 1 is beside x^16 of a large x, is large beside them at another. Values
that are equal but for rounding are so at all states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import Any

import numpy as np

from screwgraph.tape.evaluated import Evaluated
from screwgraph.tape.operations import OPERATIONS

ORDERS = 12.0, 12.0, 12.0, 6.0
"""Powers of ten by which inputs differ, at most, from their samples, either way, by turns."""
LARGE = 0.33, 0.2, 0.06, 0.6, 0.02
"""Parts of the inputs that are large, by turns; of the others, half are small: each term is the largest somewhere."""
STATES, TOGETHER, APART = 128, 8, 64
"""States; at how many of them all inputs have one scale; up to which any scale is as probable as others."""
ENOUGH = 32
"""States at which there must be a value: at others it overflows."""
UNIT = 2.0**-53
MOVED = 4.0
"""How much more than rounding may move values that are equal: constants have been rounded more than once."""
SEED = 31
EQUAL = (0.0, -12.0, 12.0, 0.0, -6.0, 6.0)
"""Exponents of states at which all inputs have the same scale."""

Scaled = tuple[np.ndarray, np.ndarray]
"""Values at all states, and how far the rounding of constants and of each operation may move them, at most."""


class ScaledValues(Evaluated[Scaled]):
    """Values of nodes; `inputs` are samples of each input, and whether it may be scaled."""

    def __init__(self, nodes: Sequence[tuple[Any, ...]], inputs: Sequence[tuple[Sequence[float], bool]]) -> None:
        def leaf(kind: str, value: Any) -> Scaled:
            if kind == "constant":
                found = np.full(STATES, value)
                return found, UNIT * np.abs(found)
            samples, scalable = inputs[value]
            found = np.resize(np.asarray(samples, dtype=float), STATES)
            return found * scales(value) if scalable else found, np.zeros(STATES)

        super().__init__(nodes, leaf, lambda operation, *operands: _SCALED[operation](*operands))


@lru_cache(maxsize=1024)
def scales(number: int) -> np.ndarray:
    """Return the scales of an input at all states."""
    random, exponents = Random(SEED + number), list[float]()
    for state in range(STATES):
        order, large = float(ORDERS[state % len(ORDERS)]), float(LARGE[state % len(LARGE)])
        # Large inputs lie near the largest scale, half of the others near the smallest, the rest keep their samples.
        choice = random.random()
        chosen = random.uniform(0.75, 1.0) if choice < large else -1.0 if choice < 0.5 + 0.5 * large else 0.0
        exponents.append(order * (random.uniform(-1.0, 1.0) if state < APART else chosen))
    exponents[:TOGETHER] = [EQUAL[state % len(EQUAL)] for state in range(TOGETHER)]
    return np.array([10.0**exponent for exponent in exponents])


def are_near(a: Scaled, b: Scaled) -> bool:
    """Whether two values are equal but for rounding at all states where they are finite, and those are many."""
    with np.errstate(all="ignore"):
        off, bound = np.abs(a[0] - b[0]), MOVED * (a[1] + b[1])
        known = np.isfinite(off) & np.isfinite(bound)
        return bool(known.sum() >= ENOUGH and (off <= bound)[known].all())


def constant(value: float) -> Scaled:
    """Return a constant."""
    return np.full(STATES, value), np.full(STATES, UNIT * abs(value))


def _add(a: Scaled, b: Scaled) -> Scaled:
    value = a[0] + b[0]
    return value, a[1] + b[1] + UNIT * np.abs(value)


def _subtract(a: Scaled, b: Scaled) -> Scaled:
    value = a[0] - b[0]
    return value, a[1] + b[1] + UNIT * np.abs(value)


def _multiply(a: Scaled, b: Scaled) -> Scaled:
    value = a[0] * b[0]
    return value, np.abs(a[0]) * b[1] + np.abs(b[0]) * a[1] + UNIT * np.abs(value)


def _invert(a: Scaled) -> Scaled:
    value = 1.0 / a[0]
    # First order: |1 / (a + e) - 1 / a| = |e| / a^2; beyond half of |a| the error is unbounded.
    moved = a[1] * value * value + UNIT * np.abs(value)
    return value, np.where(2.0 * a[1] > np.abs(a[0]), np.inf, moved)


def _general(operation: str) -> Callable[..., Scaled]:
    known = OPERATIONS[operation]

    def evaluate(*operands: Scaled) -> Scaled:
        at = [value for value, _ in operands]
        value = np.asarray(known.values(*at), dtype=float)
        moved = 2.0 * UNIT * np.abs(value)
        for rule, (_, error) in zip(known.partials, operands, strict=True):
            if rule is not None:
                moved = moved + np.abs(rule(value, *at)) * error
        return value, moved

    return evaluate


_SCALED: Mapping[str, Callable[..., Scaled]] = MappingProxyType(
    {name: _general(name) for name in OPERATIONS}
    | {
        "add": _add,
        "sub": _subtract,
        "mul": _multiply,
        "neg": lambda a: (-a[0], a[1]),
        "inv": _invert,
        "sin": lambda a: (np.sin(a[0]), a[1] + UNIT),
        "cos": lambda a: (np.cos(a[0]), a[1] + UNIT),
        "guard": lambda a, b: a,
    }
)
