"""Unit quaternions (x, y, z, w) of rotations, on any kind of number."""

from __future__ import annotations

from jaxtyping import Float

from screwgraph.spatial.generic_math import Array, atan2, choose, floats, matrix, real, sqrt, vector
from screwgraph.spatial.rotation_series import SMALL, evaluate_polynomial, exponential_coefficients
from screwgraph.spatial.so3 import squared_length

ARCTANGENT_TERMS = 7
ROUNDED = 1e-3
"""How far from 1 few printed digits leave the length of a unit quaternion."""
UNIT_TOLERANCE = 2.0 * ROUNDED
"""Difference of a quaternion's squared length from 1 that few printed digits, or steps of differences, explain."""


def product(p: Float[Array, "4"], q: Float[Array, "4"]) -> Float[Array, "4"]:
    """Return the quaternion of the rotation p after which, in its own frame, comes q."""
    p, q = floats(p), floats(q)
    x, y, z, w = p[0], p[1], p[2], p[3]
    a, b, c, s = q[0], q[1], q[2], q[3]
    return vector(
        [
            w * a + x * s + y * c - z * b,
            w * b + y * s + z * a - x * c,
            w * c + z * s + x * b - y * a,
            w * s - x * a - y * b - z * c,
        ]
    )


def inverse(q: Float[Array, "4"]) -> Float[Array, "4"]:
    """Return the quaternion of the opposite rotation."""
    return vector([-q[0], -q[1], -q[2], q[3]])


def to_rotation(q: Float[Array, "4"]) -> Float[Array, "3 3"]:
    """Return the rotation R of a unit quaternion."""
    q = floats(q)
    x, y, z, w = q[0], q[1], q[2], q[3]
    return matrix(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def from_rotation(R: Float[Array, "3 3"]) -> Float[Array, "4"]:
    """Return the quaternion with w >= 0: of the four ways to divide, the one by the largest (Shepperd, 1978)."""
    rows = [floats(R[i]) for i in range(3)]
    trace = rows[0][0] + rows[1][1] + rows[2][2]
    ways = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        entries = [0.0, 0.0, 0.0]
        entries[i] = 1.0 + 2.0 * rows[i][i] - trace
        entries[j], entries[k] = rows[j][i] + rows[i][j], rows[k][i] + rows[i][k]
        ways.append((*entries, rows[k][j] - rows[j][k]))
    ways.append((rows[2][1] - rows[1][2], rows[0][2] - rows[2][0], rows[1][0] - rows[0][1], 1.0 + trace))
    best, size = list(ways[3]), ways[3][3]
    for i in range(3):
        better = real(ways[i][i]) > real(size)
        best = [choose(better, new, old) for new, old in zip(ways[i], best, strict=True)]
        size = choose(better, ways[i][i], size)
    scale = 0.5 / sqrt(size)
    scale = choose(real(best[3]) < 0.0, -scale, scale)
    return vector([scale * b for b in best])


def exponential(w: Float[Array, "3"]) -> Float[Array, "4"]:
    """Return the quaternion of the rotation vector w (rad)."""
    quarter = 0.25 * squared_length(w)
    a, b, _ = exponential_coefficients(quarter)
    half = 0.5 * a
    return vector([half * w[0], half * w[1], half * w[2], 1.0 - quarter * b])


def exponential_second_order(w: Float[Array, "3"]) -> Float[Array, "4"]:
    """Return what agrees with `exponential` up to second order in w."""
    return vector([0.5 * w[0], 0.5 * w[1], 0.5 * w[2], 1.0 - squared_length(w) / 8.0])


def logarithm(q: Float[Array, "4"]) -> Float[Array, "3"]:
    """Return the rotation vector (rad) of a unit quaternion, at most pi long."""
    flip = choose(real(q[3]) < 0.0, -1.0, 1.0)
    x, y, z, w = (flip * q[i] for i in range(4))
    size = x * x + y * y + z * z
    small = real(size) < SMALL * 0.25
    safe = sqrt(choose(small, 1.0, size))
    # 2 atan(s / w) / s in powers of s^2 where s is small; w is near 1 there.
    t = size / choose(small, w * w, 1.0)
    powers = evaluate_polynomial(t, [(-1.0) ** k / (2 * k + 1) for k in range(ARCTANGENT_TERMS)])
    series = 2.0 / choose(small, w, 1.0) * powers
    scale = choose(small, series, 2.0 * atan2(safe, w) / safe)
    return vector([x * scale, y * scale, z * scale])


def rotate_quaternion(q: Float[Array, "4"], w: Float[Array, "3"]) -> Float[Array, "4"]:
    """Turn by the rotation vector w (rad) in the body's own frame."""
    moved = product(q, exponential(w))
    # Newton's step to length 1: rounding stays away from long motions.
    length2 = moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2] + moved[3] * moved[3]
    return moved * (1.5 - 0.5 * length2)


def rate(q: Float[Array, "4"], omega: Float[Array, "3"]) -> Float[Array, "4"]:
    """Return dq/dt under the body's angular velocity (rad/s)."""
    x, y, z, w = q[0], q[1], q[2], q[3]
    a, b, c = omega[0], omega[1], omega[2]
    return vector(
        [
            0.5 * (w * a + y * c - z * b),
            0.5 * (w * b + z * a - x * c),
            0.5 * (w * c + x * b - y * a),
            -0.5 * (x * a + y * b + z * c),
        ]
    )
