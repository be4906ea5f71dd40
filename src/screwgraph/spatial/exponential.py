"""Exponentials and logarithms of rotations and rigid motions, on NumPy and CasADi scalars alike.

Lynch & Park (3.51), (3.88). Near zero angle series take over: their branch and the other are both finite, so that
derivatives through either are, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.spatial.arrays import Array, atan2, choose, concatenate, sin, sqrt
from screwgraph.spatial.se3 import rotation, transform, translation
from screwgraph.spatial.so3 import skew

SMALL = 0.01
"""Squared angle (rad^2) below which series are used: five terms are exact there."""


def exp3(w: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Return the rotation exp([w]) by the vector w (rad). Lynch & Park (3.51)."""
    a, b, _ = _coefficients(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    W = skew(w)
    return np.eye(3) + a * W + b * (W @ W)


def exp6(S: Float[Array, "6"]) -> Float[Array, "4 4"]:
    """Return the rigid motion exp([S]) of a twist for a unit of time (rad, m). Lynch & Park (3.88)."""
    w, v = S[:3], S[3:]
    a, b, c = _coefficients(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    W = skew(w)
    WW = W @ W
    return transform(np.eye(3) + a * W + b * WW, v + b * (W @ v) + c * (WW @ v))


def log3(R: Float[Array, "3 3"]) -> Float[Array, "3"]:
    """Return the rotation vector (rad) of R, at most pi long; exact near pi, too, where its sign is arbitrary."""
    x, y, z, w = _quaternion(R)
    size = x * x + y * y + z * z
    small = size < SMALL * 0.25
    safe = sqrt(choose(small, 1.0, size))
    # 2 atan(s / w) / s in powers of s^2 where s is small; w is near 1 there.
    t = size / choose(small, w * w, 1.0)
    series = 2.0 / choose(small, w, 1.0) * (1.0 - t / 3 + t * t / 5 - t**3 / 7 + t**4 / 9 - t**5 / 11 + t**6 / 13)
    scale = choose(small, series, 2.0 * atan2(safe, w) / safe)
    return concatenate(_one(x * scale), _one(y * scale), _one(z * scale))


def log6(T: Float[Array, "4 4"]) -> Float[Array, "6"]:
    """Return the twist (rad, m) whose exponential is T. Lynch & Park (3.91), (3.92)."""
    w = log3(rotation(T))
    p, W = translation(T), skew(w)
    angle2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    a, b, _ = _coefficients(angle2)
    small = angle2 < SMALL
    series = 1 / 12 + angle2 / 720 + angle2**2 / 30240 + angle2**3 / 1209600 + angle2**4 / 47900160
    d = choose(small, series, (1.0 - 0.5 * a / choose(small, 1.0, b)) / choose(small, 1.0, angle2))
    return concatenate(w, p - 0.5 * (W @ p) + d * (W @ (W @ p)))


def _one(x: Any) -> Array:
    return x if hasattr(x, "vertsplit") or type(x).__module__.startswith("casadi") else np.array([x])


def _coefficients(angle2: Any) -> tuple[Any, Any, Any]:
    """Return sin(t)/t, (1 - cos t)/t^2, (t - sin t)/t^3 of t^2 = `angle2`."""
    small = angle2 < SMALL
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


def _quaternion(R: Float[Array, "3 3"]) -> tuple[Any, Any, Any, Any]:
    """Return (x, y, z, w) with w >= 0: of the four ways to divide, the one by the largest (Shepperd, 1978)."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    ways = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        vector = [0.0, 0.0, 0.0]
        vector[i] = 1.0 + 2.0 * R[i, i] - trace
        vector[j], vector[k] = R[j, i] + R[i, j], R[k, i] + R[i, k]
        ways.append((*vector, R[k, j] - R[j, k]))
    ways.append((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 1.0 + trace))
    best, size = list(ways[3]), ways[3][3]
    for i in range(3):
        better = ways[i][i] > size
        best = [choose(better, new, old) for new, old in zip(ways[i], best, strict=True)]
        size = choose(better, ways[i][i], size)
    scale = 0.5 / sqrt(size)
    scale = choose(best[3] < 0.0, -scale, scale)
    x, y, z, w = (scale * b for b in best)
    return x, y, z, w
