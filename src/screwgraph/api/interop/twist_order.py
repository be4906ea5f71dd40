"""Orders of the numbers of twists, wrenches and quaternions."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from screwgraph.base.errors import InputError


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
    array = np.asarray(values, dtype=float)
    if array.ndim == 0 or array.shape[-1] != size:
        raise InputError(f"an array of shape {array.shape} has not {size} numbers along its last axis")
    return array
