"""Rotations as unit quaternions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.spatial import quaternions
from screwgraph.spatial.generic_math import Array, vector
from screwgraph.spatial.manifolds.base import TOLERANCE, bracket_series
from screwgraph.spatial.so3 import skew, squared_length

ZERO = 1e-9
"""Length below which numbers name no rotation."""


@dataclass(frozen=True)
class UnitQuaternion:
    """Unit quaternions (x, y, z, w), moved by turns (rad) in the body's own frame."""

    kind = "a quaternion (x, y, z, w) of length 1"
    shape = (4,)
    dim = 3
    quaternions = (0,)

    def identity(self) -> Float[np.ndarray, "4"]:
        return np.array([0.0, 0.0, 0.0, 1.0])

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, "4"]:
        """Return a uniformly random rotation."""
        q = rng.standard_normal(4)
        return q / np.linalg.norm(q)

    def retract(self, x: Float[Array, "4"], d: Float[Array, "3"]) -> Float[Array, "4"]:
        return quaternions.rotate_quaternion(x, d)

    def near(self, x: Float[Array, "4"], d: Float[Array, "3"]) -> Float[Array, "4"]:
        return quaternions.product(x, quaternions.exponential_second_order(d))

    def difference(self, x: Float[Array, "4"], y: Float[Array, "4"]) -> Float[Array, "3"]:
        """Return the rotation vector (rad), in x's frame, from x to y."""
        return quaternions.logarithm(quaternions.product(quaternions.inverse(x), y))

    def defect(self, x: Float[Array, "4"], y: Float[Array, "4"]) -> Float[Array, "3"]:
        """Return twice the sines of half the angles."""
        q = quaternions.product(quaternions.inverse(x), y)
        return vector([2.0 * q[0], 2.0 * q[1], 2.0 * q[2]])

    def rate(self, x: Float[Array, "4"], v: Float[Array, "3"]) -> Float[Array, "4"]:
        return quaternions.rate(x, v)

    def step_rate(self, d: Float[Array, "3"], v: Float[Array, "3"]) -> Float[Array, "3"]:
        B = skew(d)
        first = B @ v
        return bracket_series(first, B @ first, v)

    def turns(self, d: Float[Array, "3"]) -> list:
        return [squared_length(d)]

    def normalise(self, x: Float[np.ndarray, "4"]) -> Float[np.ndarray, "4"]:
        length = float(np.sqrt(x @ x))
        if length < ZERO:
            raise InputError("the quaternion is zero", fix="give a unit quaternion")
        return x / length

    def is_off(self, x: Float[np.ndarray, "N 4"], tolerance: float = TOLERANCE) -> Bool[np.ndarray, " N"]:
        return np.abs(np.linalg.norm(x, axis=1) - 1.0) > tolerance
