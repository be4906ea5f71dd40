"""How one joint's coordinates change between libraries: one `CoordinateConversion` a way, four formulas each.

Twists, wrenches and quaternions have other orders of numbers, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError

Values = Float[np.ndarray, "..."]


def _same(q: Values) -> Values:
    return q


def _identity(q: Values, nv: int) -> Values:
    return np.broadcast_to(np.eye(nv), (*q.shape[:-1], nv, nv))


def _no_bias(q: Values, qd: Values) -> Values:
    return np.zeros_like(qd)


@dataclass(frozen=True)
class CoordinateConversion:
    """From our coordinates of a joint to another library's, and back; q is (..., nq), qd (..., nv).

    `out` and `back` are positions; theirs are E(q) qd for velocities and E(q) qdd + bias(q, qd) for accelerations.
    """

    out: Callable[[Values], Values] = _same
    back: Callable[[Values], Values] = _same
    E: Callable[[Values, int], Values] = _identity
    bias: Callable[[Values, Values], Values] = _no_bias


def _to_cosine_sine(q: Values) -> Values:
    return np.concatenate([q[..., :-1], np.cos(q[..., -1:]), np.sin(q[..., -1:])], axis=-1)


def _from_cosine_sine(q: Values) -> Values:
    return np.concatenate([q[..., :-2], np.arctan2(q[..., -1:], q[..., -2:-1])], axis=-1)


def _sliding_in_body(q: Values, nv: int) -> Values:
    E = np.zeros((*q.shape[:-1], nv, nv))
    c, s = np.cos(q[..., 2]), np.sin(q[..., 2])
    E[..., 0, 0], E[..., 0, 1], E[..., 1, 0], E[..., 1, 1], E[..., 2, 2] = c, s, -s, c, 1.0
    return E


def _turning_under_sliding(q: Values, qd: Values) -> Values:
    seen = np.einsum("...ij,...j->...i", _sliding_in_body(q, 3), qd)
    return np.stack([qd[..., 2] * seen[..., 1], -qd[..., 2] * seen[..., 0], np.zeros_like(qd[..., 2])], axis=-1)


def _linear_first(q: Values, nv: int) -> Values:
    return np.broadcast_to(np.roll(np.eye(nv), 3, axis=0), (*q.shape[:-1], nv, nv))


def _pose_scalar_first(q: Values) -> Values:
    return np.concatenate([q[..., :3], w_first(q[..., 3:])], axis=-1)


def _pose_scalar_last(q: Values) -> Values:
    return np.concatenate([q[..., :3], w_last(q[..., 3:])], axis=-1)


def _linear_in_world(q: Values, nv: int) -> Values:
    E = np.zeros((*q.shape[:-1], nv, nv))
    E[..., :3, 3:] = _rotations(q[..., 3:])
    E[..., 3:, :3] = np.eye(3)
    return E


def _turning_in_world(q: Values, qd: Values) -> Values:
    """The origin's acceleration is the rate of its body-frame velocity plus omega x v."""
    linear = np.einsum("...ij,...j->...i", _rotations(q[..., 3:]), np.cross(qd[..., :3], qd[..., 3:]))
    return np.concatenate([linear, np.zeros_like(linear)], axis=-1)


def _rotations(quaternions: Values) -> Values:
    """Return rotation matrices (..., 3, 3) of quaternions (x, y, z, w)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(quaternions.reshape(-1, 4)).as_matrix().reshape(*quaternions.shape[:-1], 3, 3)


SAME = CoordinateConversion()
"""Nothing changes."""

COSINE_SINE = CoordinateConversion(_to_cosine_sine, _from_cosine_sine)
"""An angle is written as (cos, sin): joints without limits in Pinocchio. Whole turns are lost on the way back."""

SLIDING_IN_BODY = CoordinateConversion(_to_cosine_sine, _from_cosine_sine, _sliding_in_body, _turning_under_sliding)
"""A planar joint in Pinocchio: its linear velocity has components in the moving body."""

LINEAR_FIRST = CoordinateConversion(E=_linear_first)
"""A free body in Pinocchio: the same twist, its linear half first."""


def omega_first(v_first: ArrayLike) -> Float[np.ndarray, "... 6"]:
    """Return twists (omega, v) from (v, omega), or wrenches (moment, force) from (force, moment); arrays (..., 6)."""
    return np.roll(_ending(v_first, 6), 3, axis=-1)


def v_first(omega_first: ArrayLike) -> Float[np.ndarray, "... 6"]:
    """Return twists (v, omega) from (omega, v), or wrenches (force, moment) from (moment, force); arrays (..., 6)."""
    return np.roll(_ending(omega_first, 6), 3, axis=-1)


def w_first(quaternion: ArrayLike) -> Float[np.ndarray, "... 4"]:
    """Return quaternions (w, x, y, z) from (x, y, z, w); arrays (..., 4)."""
    return np.roll(_ending(quaternion, 4), 1, axis=-1)


def w_last(quaternion: ArrayLike) -> Float[np.ndarray, "... 4"]:
    """Return quaternions (x, y, z, w) from (w, x, y, z); arrays (..., 4)."""
    return np.roll(_ending(quaternion, 4), -1, axis=-1)


def _ending(values: ArrayLike, size: int) -> Float[np.ndarray, "..."]:
    array = validate_numbers("quaternions", values)
    if array.ndim == 0 or array.shape[-1] != size:
        raise InputError(f"an array of shape {array.shape} has not {size} numbers along its last axis")
    return array


SCALAR_FIRST = CoordinateConversion(w_first, w_last)
"""A ball joint in MuJoCo: quaternions begin with w."""

LINEAR_IN_WORLD = CoordinateConversion(_pose_scalar_first, _pose_scalar_last, _linear_in_world, _turning_in_world)
"""A free body in MuJoCo: w first; velocity and acceleration of its origin, in the world's axes, stand before omega."""
