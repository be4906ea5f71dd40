"""Zeros where only rounding is left of products: code of a robot is the same on every machine."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parameters import sizes
from screwgraph.spatial import Array, SpatialInertia, transform
from screwgraph.tape import Scalar

NOTHING = 1e-15
"""Part of the largest number of its sort below which a length or a moment is rounding."""


def snap_rotation(T: Float[np.ndarray, "4 4"]) -> Float[np.ndarray, "4 4"]:
    """Remove rounding of products: entries of rotations near 0 and +-1, lengths near 0. Inputs stay as they are."""
    if T.dtype == object:
        return T
    R, p = T[:3, :3].copy(), T[:3, 3].copy()
    nearest = np.round(R)
    R = np.where(np.abs(R - nearest) < 1e-14, nearest, R)
    p[np.abs(p) < NOTHING * max(1.0, np.abs(p).max())] = 0.0
    return transform(R, p)


def snap_inertia(inertia: SpatialInertia) -> SpatialInertia:
    """Return an inertia whose moments that only rounding left are zero, relative to the largest of their sort."""
    return SpatialInertia(inertia.mass, _round_numbers(inertia.first_moment), _round_numbers(inertia.about_origin))


def _round_numbers(numbers: Array) -> Array:
    """Scalars are never rounding: their parameters may get larger, and a tape knows what vanishes."""
    size = sizes(numbers)
    lost = size < NOTHING * max(size.max(), 1e-300)
    if numbers.dtype == object:
        lost &= np.array([not isinstance(x, Scalar) for x in numbers.flat]).reshape(numbers.shape)
    return np.where(lost, 0.0, numbers)
