"""Exponentials and logarithms of rotations and rigid motions, on any kind of number. Lynch & Park (3.51), (3.88)."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.spatial import quaternions
from screwgraph.spatial.generic_math import Array, concatenate, vector
from screwgraph.spatial.rotation_series import exponential_coefficients, logarithm_coefficients
from screwgraph.spatial.se3 import rotation, transform, translation
from screwgraph.spatial.so3 import skew, squared_length


def exp3(w: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Return the rotation exp([w]) by the vector w (rad). Lynch & Park (3.51)."""
    a, b, _ = exponential_coefficients(squared_length(w))
    W = skew(w)
    return np.eye(3) + a * W + b * (W @ W)


def exp6(S: Float[Array, "6"]) -> Float[Array, "4 4"]:
    """Return the rigid motion exp([S]) of a twist for a unit of time (rad, m). Lynch & Park (3.88)."""
    return transform(exp3(S[:3]), screw_translation(S))


def screw_translation(S: Float[Array, "6"]) -> Float[Array, "3"]:
    """Return the translation (m) of exp([S]): G(theta) v of Lynch & Park (3.88)."""
    w, v = S[:3], S[3:]
    _, b, c = exponential_coefficients(squared_length(w))
    W = skew(w)
    first = W @ v
    return v + b * first + c * (W @ first)


def log3(R: Float[Array, "3 3"]) -> Float[Array, "3"]:
    """Return the rotation vector (rad) of R, at most pi long; exact near pi, too, where its sign is arbitrary."""
    return quaternions.logarithm(quaternions.from_rotation(R))


def log6(T: Float[Array, "4 4"]) -> Float[Array, "6"]:
    """Return the twist (rad, m) whose exponential is T. Lynch & Park (3.91), (3.92)."""
    return screw_to(turn_and_shift(T))


def turn_and_shift(T: Float[Array, "4 4"]) -> Float[Array, "6"]:
    """Return the rotation vector (rad) and the translation (m) of T."""
    return concatenate(log3(rotation(T)), translation(T))


def screw_to(x: Float[Array, "6"]) -> Float[Array, "6"]:
    """Return the twist (rad, m) whose exponential turns by x[:3] (rad) and shifts by x[3:] (m)."""
    return concatenate(x[:3], log_rate(-x[:3], x[3:]))


def log_rate(phi: Float[Array, "3"], omega: Float[Array, "3"]) -> Float[Array, "3"]:
    """Return the rate of the rotation vector phi (rad) of a body that turns at omega (rad/s) in its own axes.

    Barfoot (2017), eq. (7.77); its derivative by phi is `log_rate_change`.
    """
    W, (d, _) = skew(phi), logarithm_coefficients(squared_length(phi))
    first = W @ omega
    return omega + 0.5 * first + d * (W @ first)


def log_rate_change(phi: Float[Array, "3"], phid: Float[Array, "3"], omega: Float[Array, "3"]) -> Float[Array, "3"]:
    """Return the rate of `log_rate` where phi changes at phid (rad/s) and omega does not."""
    W, Wd, (d, slope) = skew(phi), skew(phid), logarithm_coefficients(squared_length(phi))
    along = 2.0 * (phi[0] * phid[0] + phi[1] * phid[1] + phi[2] * phid[2])
    bent = Wd @ (W @ omega) + W @ (Wd @ omega)
    return 0.5 * (Wd @ omega) + d * bent + slope * along * (W @ (W @ omega))


def vanishing(T: Float[Array, "4 4"]) -> Float[Array, "6"]:
    """Return the sines of a small rotation (rad) and the translation (m) of T: `log6` up to second order, and cheap."""
    R, p = rotation(T), translation(T)
    return concatenate(sine_vector(R), p)


def sine_vector(R: Float[Array, "3 3"]) -> Float[Array, "3"]:
    """Return the axis of a rotation times the sine of its angle: `log3` up to second order, and cheap."""
    return vector([0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])])
