"""Functions of the squared angle of a rotation that have no closed form at zero: series take over there.

Both branches are finite everywhere, so that derivatives through either are, too.
"""

from __future__ import annotations

from math import factorial
from typing import Any

from screwgraph.spatial.arrays import choose, is_tape, real, sin, sqrt

SMALL = 0.01
"""Squared angle (rad^2) below which series are used: five terms are exact there."""
TERMS = 9
"""Of series on a tape, which has no branches: exact for angles below 1 rad."""


def coefficients(angle2: Any) -> tuple[Any, Any, Any]:
    """Return sin(t)/t, (1 - cos t)/t^2, (t - sin t)/t^3 of t^2 = `angle2` (rad^2); on a tape, for t below 1 rad."""
    if is_tape(angle2):
        return _series(angle2, 1), _series(angle2, 2), _series(angle2, 3)
    small = real(angle2) < SMALL
    x = angle2
    t2 = choose(small, 1.0, x)
    t = sqrt(t2)
    half = sin(0.5 * t)
    a = sin(t) / t
    b = 2.0 * half * half / t2
    c = (1.0 - a) / t2
    return (
        choose(small, 1.0 - x / 6 + x * x / 120 - x**3 / 5040 + x**4 / 362880, a),
        choose(small, 0.5 - x / 24 + x * x / 720 - x**3 / 40320 + x**4 / 3628800, b),
        choose(small, 1 / 6 - x / 120 + x * x / 5040 - x**3 / 362880 + x**4 / 39916800, c),
    )


def cotangent(angle2: Any) -> tuple[Any, Any]:
    """Return d = (1 - (t/2) cot(t/2)) / t^2 of t^2 = `angle2` (rad^2), and its derivative by t^2."""
    small = real(angle2) < SMALL
    x = angle2
    safe = choose(small, 1.0, x)
    a, b, _ = coefficients(x)
    k = 0.5 * a / choose(small, 1.0, b)
    d = 1 / 12 + x / 720 + x**2 / 30240 + x**3 / 1209600 + x**4 / 47900160
    slope = 1 / 720 + x / 15120 + x**2 / 403200 + x**3 / 11975040 + 691 * x**4 / 261534873600
    steep = (0.125 - (1.0 - k) / safe - 0.5 * (k - k * k) / safe) / safe
    return choose(small, d, (1.0 - k) / safe), choose(small, slope, steep)


def _series(x: Any, first: int) -> Any:
    """Return sum_k (-x)^k / (2 k + first)!."""
    total: Any = 0.0
    for k in reversed(range(TERMS)):
        total = total * x + (-1.0) ** k / factorial(2 * k + first)
    return total
