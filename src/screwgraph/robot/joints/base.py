"""What every joint type offers, and helpers that joint types share."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.spatial import Array

Vector3 = tuple[float, float, float]


class JointType(Protocol):
    """The motion that a joint allows: pose and screw axes of the child as functions of q.

    Every method works on NumPy values (float, complex, tape scalars) and on CasADi values.
    """

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        ...

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        ...

    @property
    def constant_axes(self) -> bool:
        """Whether the screw axes do not depend on q."""
        ...

    def transform(self, q: Float[Array, " nq"]) -> Float[Array, "4 4"]:
        """Return the pose of the child's frame in the joint's frame; the identity at `neutral()`."""
        ...

    def screw_axes(self, q: Float[Array, " nq"]) -> Float[Array, "6 nv"]:
        """Return A, the screw axes in the child's frame: child's twist relative to the parent = A qd."""
        ...

    def axes_rate_times(self, q: Float[Array, " nq"], qd: Float[Array, " nv"]) -> Float[Array, "6"]:
        """Return (dA/dt) qd, components in the child's frame; zero where `constant_axes`."""
        ...

    def position_rate(self, q: Float[Array, " nq"], qd: Float[Array, " nv"]) -> Float[Array, " nq"]:
        """Return dq/dt for joint velocity qd."""
        ...

    def neutral(self) -> Float[np.ndarray, " nq"]:
        """Return the zero position."""
        ...

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, " nq"]:
        """Return a random position, quaternions normalised."""
        ...


def unit(axis: Vector3, what: str = "axis") -> Vector3:
    """Normalise a direction; an axis that is already unit within rounding keeps its digits.

    Raises:
        InputError: three finite numbers, not all zero, are needed.
    """
    a = np.asarray(axis, dtype=float)
    if a.shape != (3,) or not np.isfinite(a).all() or not a.any():
        raise InputError(f"{what} {axis!r} is not a direction", why="a direction is three finite numbers, not all zero")
    if abs(math.hypot(*a) - 1.0) > 4 * np.finfo(float).eps:
        a = a / np.abs(a).max()  # lest squares of very small or large entries vanish or overflow
        a = a / np.linalg.norm(a)
    return (float(a[0]), float(a[1]), float(a[2]))


def random_quaternion(rng: np.random.Generator) -> Float[np.ndarray, "4"]:
    """Return a uniformly random unit quaternion (x, y, z, w)."""
    q = rng.standard_normal(4)
    return q / np.linalg.norm(q)


def zero_twist() -> Float[np.ndarray, "6"]:
    """Return the twist of a body at rest."""
    return np.zeros(6)
