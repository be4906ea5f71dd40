"""Positions of a robot as a kind of unknown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.optimize import Manifold, Vector
from screwgraph.optimize.manifolds.base import moving
from screwgraph.robot import Robot
from screwgraph.spatial import Array, choose, concatenate, cos, log3, sin, skew, so3, sqrt, vector

Parts = tuple[tuple[int, int], ...]
"""(numbers, directions) of joint after joint: (n, n) flat, (4, 3) a quaternion, (7, 6) a position and a quaternion."""

SMALL = 1e-6
"""Squared angle (rad^2) below which two terms of a series are exact."""


@dataclass(frozen=True)
class Configuration:
    """Positions q of a robot some of whose joints have unit quaternions (x, y, z, w), moved along velocities qd."""

    parts: Parts

    @property
    def shape(self) -> tuple[int, ...]:
        """(nq,)."""
        return (sum(n for n, _ in self.parts),)

    @property
    def dim(self) -> int:
        """Number of velocities."""
        return sum(d for _, d in self.parts)

    def identity(self) -> Float[np.ndarray, " nq"]:
        """Zero, and quaternions of no rotation."""
        turned = np.array([0.0, 0.0, 0.0, 1.0])
        return np.concatenate([np.zeros(n) if n == d else np.r_[np.zeros(n - 4), turned] for n, d in self.parts])

    def retract(self, x: Float[Array, " nq"], d: Float[Array, " nv"]) -> Float[Array, " nq"]:
        """Move along the constant velocity d for a unit of time; a floating joint goes along a screw."""
        return self._moved(x, d, exact=True)

    def near(self, x: Float[Array, " nq"], d: Float[Array, " nv"]) -> Float[Array, " nq"]:
        """Return what agrees with `retract` up to second order in d."""
        return self._moved(x, d, exact=False)

    def local(self, x: Float[Array, " nq"], y: Float[Array, " nq"]) -> Float[Array, " nv"]:
        """Return rotation vectors and differences of positions, in the frame at x, from x to y."""
        return self._differences(x, y, lambda q: log3(so3.from_quaternion(q)))

    def gap(self, x: Float[Array, " nq"], y: Float[Array, " nq"]) -> Float[Array, " nv"]:
        """Return what vanishes with `local`, and agrees with it near zero: twice the sines of half the angles."""
        return self._differences(x, y, lambda q: vector([2.0 * q[0], 2.0 * q[1], 2.0 * q[2]]))

    def moved(self, x: Float[np.ndarray, "N nq"], d: Float[np.ndarray, "N nv"]) -> Float[np.ndarray, "N nq"]:
        """Move N of them."""
        return moving(self)(x, d)

    def fault(self, x: Float[np.ndarray, "N nq"]) -> str:
        """Say which quaternions are not unit."""
        end = 0
        for n, d in self.parts:
            end += n
            if n != d:
                off = np.abs(np.linalg.norm(x[:, end - 4 : end], axis=1) - 1.0)
                if off.max(initial=0.0) > 1e-6:
                    return f"number {int(off.argmax())} has a quaternion that is not of length 1"
        return ""

    def _moved(self, x: Array, d: Array, *, exact: bool) -> Array:
        found, i, j = [], 0, 0
        for n, m in self.parts:
            q, v = x[i : i + n], d[j : j + m]
            i, j = i + n, j + m
            if n == m:
                found.append(q + v)
                continue
            w = v[:3]
            if n == 7:
                found.append(q[:3] + so3.from_quaternion(q[3:]) @ _swept(w, v[3:], exact=exact))
            found.append(_product(q[n - 4 :], _exponential(w) if exact else _second_order(w)))
        return concatenate(*found)

    def _differences(self, x: Array, y: Array, angles: Callable[[Array], Array]) -> Array:
        found, i = [], 0
        for n, m in self.parts:
            a, b = x[i : i + n], y[i : i + n]
            i += n
            if n == m:
                found.append(b - a)
                continue
            found.append(angles(_product(_inverse(a[n - 4 :]), b[n - 4 :])))
            if n == 7:
                found.append(so3.from_quaternion(a[3:]).T @ (b[:3] - a[:3]))
        return concatenate(*found)


def positions(robot: Robot) -> Manifold:
    """Return the manifold of a robot's positions."""
    parts = [(j.type.nq, j.type.nv) for j in robot.joints]
    if all(n == d for n, d in parts):
        return Vector(robot.nq)
    return Configuration(tuple(parts))


def gap(manifold: Manifold, x: Array, y: Array) -> Array:
    """Return a column that vanishes where positions x and y are equal, in velocity coordinates near there."""
    return manifold.gap(x, y) if isinstance(manifold, Configuration) else y - x


def _exponential(w: Float[Array, "3"]) -> Float[Array, "4"]:
    """Return the quaternion of the rotation vector w (rad)."""
    s = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    small = s < SMALL
    angle = sqrt(choose(small, 1.0, s))
    a = choose(small, 0.5 - s / 48.0, sin(0.5 * angle) / angle)
    b = choose(small, 1.0 - s / 8.0 + s * s / 384.0, cos(0.5 * angle))
    return vector([a * w[0], a * w[1], a * w[2], b])


def _second_order(w: Float[Array, "3"]) -> Float[Array, "4"]:
    return vector([0.5 * w[0], 0.5 * w[1], 0.5 * w[2], 1.0 - (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / 8.0])


def _swept(w: Float[Array, "3"], v: Float[Array, "3"], *, exact: bool) -> Float[Array, "3"]:
    """Return where the twist (w, v) leads in a unit of time. Lynch & Park (3.88)."""
    W = skew(w)
    if not exact:
        return v + 0.5 * (W @ v)
    s = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    small = s < 100.0 * SMALL
    safe = choose(small, 1.0, s)
    angle = sqrt(safe)
    b = choose(small, 0.5 - s / 24.0 + s * s / 720.0, (1.0 - cos(angle)) / safe)
    c = choose(small, 1.0 / 6.0 - s / 120.0 + s * s / 5040.0, (angle - sin(angle)) / (safe * angle))
    return v + b * (W @ v) + c * (W @ (W @ v))


def _product(p: Float[Array, "4"], q: Float[Array, "4"]) -> Float[Array, "4"]:
    """Return the quaternion of the rotation p after which, in its own frame, comes q."""
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


def _inverse(q: Float[Array, "4"]) -> Float[Array, "4"]:
    return vector([-q[0], -q[1], -q[2], q[3]])
