"""Angles of many turns and the same less whole turns, taken off exactly, and a program of sums of angles."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from screwgraph.tape import Program

PI = Fraction(31415926535897932384626433832795028841971693993751058209749445923, 10**64)
INPUTS = (("input", 0), ("input", 1), ("constant", 0.3))
TURNED = Program(("a", "b"), (*INPUTS, ("sub", 0, 1), ("add", 3, 2), ("neg", 4), ("sin", 5), ("cos", 3)), (6, 7))


def turned(a: float, b: float) -> tuple[float, float]:
    """Return what `TURNED` computes."""
    difference = Fraction(a) - Fraction(b)
    return -math.sin(small(difference + Fraction(0.3))), math.cos(small(difference))


def small(angle: Fraction) -> float:
    """Return an angle less whole turns, rounded once."""
    return float(angle - 2 * PI * round(angle / (2 * PI)))


def large_and_small(rng: np.random.Generator, shape: tuple[int, ...], size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return angles up to some size, some of them ordinary, and the same less whole turns."""
    q = rng.uniform(-size, size, shape)
    q[..., ::3] = rng.uniform(-3.0, 3.0, q[..., ::3].shape)
    return q, np.vectorize(lambda x: small(Fraction(x)))(q)
