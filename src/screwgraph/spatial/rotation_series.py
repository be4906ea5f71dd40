"""Functions of the squared angle of a rotation that have no closed form at zero: series take over there.

Both branches are finite everywhere, so that derivatives through either are, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any

from screwgraph.spatial.generic_math import choose, is_merged_by_value, real, sin, sqrt

SMALL = 0.01
"""Squared angle (rad^2) below which series are used."""
TERMS = 5
"""Of series that are exact there."""
TAPE_TERMS = 9
"""Of series without branches, on tapes that merge by value: exact for angles below 1 rad."""


def exponential_coefficients(angle2: Any) -> tuple[Any, Any, Any]:
    """Return sin(t)/t, (1 - cos t)/t^2, (t - sin t)/t^3 of t^2 = `angle2` (rad^2).

    On a tape that merges by value, t must be below 1 rad.
    """
    if is_merged_by_value(angle2):
        return _series(angle2, 1, TAPE_TERMS), _series(angle2, 2, TAPE_TERMS), _series(angle2, 3, TAPE_TERMS)
    small = real(angle2) < SMALL
    x = angle2
    t2 = choose(small, 1.0, x)
    t = sqrt(t2)
    half = sin(0.5 * t)
    a = sin(t) / t
    b = 2.0 * half * half / t2
    c = (1.0 - a) / t2
    return (
        choose(small, _series(x, 1, TERMS), a),
        choose(small, _series(x, 2, TERMS), b),
        choose(small, _series(x, 3, TERMS), c),
    )


def logarithm_coefficients(angle2: Any) -> tuple[Any, Any]:
    """Return d = (1 - (t/2) cot(t/2)) / t^2 of t^2 = `angle2` (rad^2), and its derivative by t^2."""
    small = real(angle2) < SMALL
    x = angle2
    safe = choose(small, 1.0, x)
    a, b, _ = exponential_coefficients(x)
    k = 0.5 * a / choose(small, 1.0, b)
    d = evaluate_polynomial(x, (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160))
    slope = evaluate_polynomial(x, (1 / 720, 1 / 15120, 1 / 403200, 1 / 11975040, 691 / 261534873600))
    steep = (0.125 - (1.0 - k) / safe - 0.5 * (k - k * k) / safe) / safe
    return choose(small, d, (1.0 - k) / safe), choose(small, slope, steep)


def _series(x: Any, first: int, terms: int) -> Any:
    """Return sum_k (-x)^k / (2 k + first)!."""
    return evaluate_polynomial(x, [(-1.0) ** k / factorial(2 * k + first) for k in range(terms)])


def evaluate_polynomial(x: Any, coefficients: Sequence[float]) -> Any:
    """Return sum_k coefficients[k] x^k, by Horner's rule."""
    total: Any = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total
