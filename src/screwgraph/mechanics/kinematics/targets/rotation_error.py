"""How far rotations are from each other, on numbers of any kind."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.spatial import Array, atan2, maximum, skew, sqrt, vector
from screwgraph.tape import Number

HALF_TURN = 1e-12
"""Least 1 + trace(E), 4 cos^2 of half an angle, that is divided by: beyond, no axis can be told."""


def rotation_error(R: Float[Array, "3 3"], wanted: Float[Array, "3 3"]) -> tuple[Float[Array, "3"], Number]:
    """Return 2 sin(theta/2) u and cos(theta/2) of the rotation E = R wanted' by theta about u, in the base's axes.

    Its length grows up to half a turn, unlike that of sines. Lynch & Park (3.53) has sin(theta) u.
    """
    E = R @ wanted.T
    half = sqrt(maximum(1.0 + E[0, 0] + E[1, 1] + E[2, 2], HALF_TURN))
    scale = 1.0 / half
    e = vector([(E[2, 1] - E[1, 2]) * scale, (E[0, 2] - E[2, 0]) * scale, (E[1, 0] - E[0, 1]) * scale])
    return e, 0.5 * half


def rotation_error_rates(e: Float[Array, "3"], cosine: Number, J: Float[Array, "3 nv"]) -> Float[Array, "3 nv"]:
    """Return derivatives of `rotation_error`, R turned by the columns of J in the base's axes: (cos I - [e/2]) J."""
    return (cosine * np.eye(3) - skew(0.5 * e)) @ J


def rotation_angle(e: Float[Array, "3"], cosine: Number) -> Number:
    """Return theta (rad)."""
    return 2.0 * atan2(0.5 * sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), cosine)


def rotation_flaw(R: Float[Array, "3 3"]) -> Number:
    """Return how far a matrix is from a rotation: the squares of R'R - I, and of the determinant less 1."""
    off = (R.T @ R - np.eye(3)).ravel()
    volume = sum(R[0, i] * (R[1, i - 2] * R[2, i - 1] - R[1, i - 1] * R[2, i - 2]) for i in range(3))
    return sum((x * x for x in off), start=(volume - 1.0) * (volume - 1.0))
