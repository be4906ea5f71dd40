"""Newton's and Euler's equations of one body, and the accelerations of its points."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.graph.linear_rows import Affine
from screwgraph.spatial import Array, concatenate, matrix, second_moments, skew
from screwgraph.tape import is_zero


def momentum_rate(G: Float[np.ndarray, "6 6"], w: Float[Array, "3"], Vdot: Float[Array, "6"]) -> Float[Array, "6"]:
    """Return the wrench (6,) about its frame's origin that a body of inertia G takes: Khalil & Dombre (2002), 9.3.3.

    The body turns by w; Vdot is (dw/dt, acceleration of the origin as a point, less gravity). In terms of twists it is
    G dV/dt - [ad_V]' G V, Lynch & Park (8.40): an observer who moves as the origin does sees no linear velocity.
    """
    mass, first_moment = G[3, 3], np.array([G[2, 4], G[0, 5], G[1, 3]])
    moment = _moment(w, Vdot[:3], G[:3, :3]) + skew(first_moment) @ Vdot[3:]
    return concatenate(moment, mass * Vdot[3:] + point_acceleration_matrix(w, Vdot[:3]) @ first_moment)


def point_acceleration_matrix(w: Float[Array, "3"], rate: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Return [dw/dt] + [w][w]: times a point of the body, its acceleration beyond the origin's."""
    x, y, z = w[0], w[1], w[2]
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    a, b, c = rate[0], rate[1], rate[2]
    return matrix([[-(yy + zz), xy - c, xz + b], [xy + c, -(xx + zz), yz - a], [xz - b, yz + a, -(xx + yy)]])


def has_products(J: Float[np.ndarray, "3 3"]) -> bool:
    """Whether a rotational inertia has products of inertia."""
    return not all(is_zero(product) for product in (J[0, 1], J[0, 2], J[1, 2]))


def _moment(w: Float[Array, "3"], rate: Float[Array, "3"], J: Float[np.ndarray, "3 3"]) -> Float[Array, "3"]:
    """Return J dw/dt + w x (J w): by second moments of mass where that takes fewer operations."""
    if has_products(J) and not isinstance(rate[0], Affine):
        turned = point_acceleration_matrix(w, rate) @ second_moments(J)
        return np.array([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]])
    return J @ rate + _gyroscopic(w, J)


def _gyroscopic(w: Float[Array, "3"], J: Float[np.ndarray, "3 3"]) -> Float[Array, "3"]:
    """Return w x (J w), written in the products of velocities."""
    x, y, z = w[0], w[1], w[2]
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return np.array(
        [
            (J[2, 2] - J[1, 1]) * yz + J[1, 2] * (yy - zz) + J[0, 2] * xy - J[0, 1] * xz,
            (J[0, 0] - J[2, 2]) * xz + J[0, 2] * (zz - xx) + J[0, 1] * yz - J[1, 2] * xy,
            (J[1, 1] - J[0, 0]) * xy + J[0, 1] * (xx - yy) + J[1, 2] * xz - J[0, 2] * yz,
        ]
    )
