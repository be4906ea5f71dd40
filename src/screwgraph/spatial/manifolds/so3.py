"""Rotations as matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.spatial import quaternions
from screwgraph.spatial.exponential import exp3, log3, sine_vector
from screwgraph.spatial.generic_math import Array
from screwgraph.spatial.manifolds.base import TOLERANCE, bracket_series
from screwgraph.spatial.manifolds.unit_quaternion import UnitQuaternion
from screwgraph.spatial.so3 import skew, squared_length


@dataclass(frozen=True)
class SO3:
    """Rotations R (3, 3), moved by turns (rad) in the body's own frame: R exp([d]). Lynch & Park (3.51)."""

    kind = "a rotation matrix"
    shape = (3, 3)
    dim = 3
    quaternions = ()

    def identity(self) -> Float[np.ndarray, "3 3"]:
        return np.eye(3)

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, "3 3"]:
        """Return a uniformly random rotation."""
        return quaternions.to_rotation(UnitQuaternion().random(rng))

    def retract(self, x: Float[Array, "3 3"], d: Float[Array, "3"]) -> Float[Array, "3 3"]:
        return x @ exp3(d)

    def near(self, x: Float[Array, "3 3"], d: Float[Array, "3"]) -> Float[Array, "3 3"]:
        """Return R (I + [d] + [d]^2 / 2)."""
        D = skew(d)
        return x @ (np.eye(3) + D + 0.5 * (D @ D))

    def difference(self, x: Float[Array, "3 3"], y: Float[Array, "3 3"]) -> Float[Array, "3"]:
        """Return the rotation vector (rad), in x's frame, from x to y."""
        return log3(x.T @ y)

    def defect(self, x: Float[Array, "3 3"], y: Float[Array, "3 3"]) -> Float[Array, "3"]:
        return sine_vector(x.T @ y)

    def rate(self, x: Float[Array, "3 3"], v: Float[Array, "3"]) -> Float[Array, "3 3"]:
        return x @ skew(v)

    def step_rate(self, d: Float[Array, "3"], v: Float[Array, "3"]) -> Float[Array, "3"]:
        B = skew(d)
        first = B @ v
        return bracket_series(first, B @ first, v)

    def turns(self, d: Float[Array, "3"]) -> list:
        return [squared_length(d)]

    def normalise(self, x: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "3 3"]:
        U, s, Vt = np.linalg.svd(x)
        if s[-1] == 0.0 or np.linalg.det(x) < 0.0:
            raise InputError("the matrix is not near a rotation", fix="give a rotation matrix")
        return U @ Vt

    def is_off(self, x: Float[np.ndarray, "N 3 3"], tolerance: float = TOLERANCE) -> Bool[np.ndarray, " N"]:
        errors = np.abs(np.swapaxes(x, -1, -2) @ x - np.eye(3)).max(axis=(-1, -2))
        return (errors > tolerance) | (np.linalg.det(x) < 0.0)
