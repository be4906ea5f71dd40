"""What every joint type offers, and helpers that joint types share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.spatial import Array, atan2
from screwgraph.spatial.manifolds import Manifold

Vector3 = tuple[float, float, float]

ROUNDED = 1e-15
"""Entries of a direction this close to 0 or +-1 are that."""


class JointType(Protocol):
    """The motion that a joint allows: pose and screw axes of the child as functions of q.

    Every method works on NumPy values: float, complex, tape scalars.
    """

    @property
    def manifold(self) -> Manifold:
        """Manifold of q: values (nq,), whose velocities are qd (nv,)."""
        ...

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
        """Return the pose of the child's frame in the joint's frame; the identity at its zero position."""
        ...

    def screw_axes(self, q: Float[Array, " nq"]) -> Float[Array, "6 nv"]:
        """Return A, the screw axes in the child's frame: child's twist relative to the parent = A qd."""
        ...

    def axes_rate_times(self, q: Float[Array, " nq"], qd: Float[Array, " nv"]) -> Float[Array, "6"]:
        """Return (dA/dt) qd, components in the child's frame; zero where `constant_axes`."""
        ...

    def nearest(self, T: Float[Array, "4 4"]) -> Float[Array, " nq"]:
        """Return the position whose pose comes near a given one, and is that one where the joint can reach it."""
        ...

    def constraint_wrenches(self, q: Float[Array, " nq"]) -> Float[Array, "6 rows"]:
        """Return a basis of the wrenches that the joint transmits, in the child's frame: W' A = 0, 6 - nv columns."""
        ...


def normalise_axis(axis: Vector3, what: str = "axis") -> Vector3:
    """Normalise a direction; an axis that is already unit within rounding keeps its digits.

    Raises:
        InputError: three finite numbers, not all zero, are needed.
    """
    a = validate_numbers(what, axis)
    if a.shape != (3,) or not np.isfinite(a).all() or not a.any():
        raise InputError(f"{what} {axis!r} is not a direction", why="a direction is three finite numbers, not all zero")
    if abs(math.hypot(*a) - 1.0) > 4 * np.finfo(float).eps:
        a = a / np.abs(a).max()  # lest squares of very small or large entries vanish or overflow
        a = a / np.linalg.norm(a)
    return (float(a[0]), float(a[1]), float(a[2]))


def rotate_axis(R: Float[np.ndarray, "3 3"], axis: Vector3) -> Vector3:
    """Return an axis turned by R; entries that are 0 or +-1 up to rounding are that."""
    turned = R @ np.array(axis)
    nearest = np.round(turned)
    x, y, z = (np.where(np.abs(turned - nearest) < ROUNDED, nearest, turned) + 0.0).tolist()
    return (x, y, z)


def opposite_axis(axis: Vector3) -> Vector3:
    """Return the axis of the same motion the other way round."""
    return (-axis[0], -axis[1], -axis[2])


def perpendicular_axes(axis: Vector3) -> tuple[Float[np.ndarray, "3"], Float[np.ndarray, "3"]]:
    """Return two unit vectors that are right-handed with `axis`: x and y for z, y and z for x, z and x for y.

    For any other axis they are near the pair of the coordinate axis nearest to it.
    """
    normal = np.array(axis)
    nearest = int(np.argmax(np.abs(normal)))
    u = np.eye(3)[(nearest + 1) % 3]
    u = u - (u @ normal) * normal
    u = u / np.linalg.norm(u)
    return u, np.cross(normal, u)


def angle_about(axis: Vector3, R: Float[Array, "3 3"]) -> Any:
    """Return the angle (rad, within +-pi) of the rotation about `axis` that comes nearest to R."""
    sine = dot_product(axis, [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return atan2(sine, R[0, 0] + R[1, 1] + R[2, 2] - dot_product(axis, R @ np.array(axis)))


def dot_product(a: Sequence[float] | Float[np.ndarray, "3"], b: Sequence[Any] | Float[Array, "3"]) -> Any:
    """Return the product of a vector of floats and one of any kind of numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def stack_wrenches(
    moments: Sequence[Float[np.ndarray, "3"]], forces: Sequence[Float[np.ndarray, "3"]]
) -> Float[np.ndarray, "6 n"]:
    """Stack pure moments, then pure forces, as columns."""
    zero = np.zeros(3)
    columns = [*(np.concatenate([m, zero]) for m in moments), *(np.concatenate([zero, f]) for f in forces)]
    return np.stack(columns, axis=1)


def zero_twist() -> Float[np.ndarray, "6"]:
    """Return the twist of a body at rest."""
    return np.zeros(6)
