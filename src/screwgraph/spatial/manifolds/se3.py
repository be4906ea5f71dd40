"""Rigid motions as matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.spatial.exponential import exp6, log6, vanishing
from screwgraph.spatial.generic_math import Array
from screwgraph.spatial.manifolds.base import TOLERANCE, bracket_series
from screwgraph.spatial.manifolds.so3 import SO3
from screwgraph.spatial.se3 import ad, inverse, rotation, transform, translation
from screwgraph.spatial.so3 import skew

ROTATIONS = SO3()
LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])
CORNER = np.diag(LAST_ROW)


@dataclass(frozen=True)
class SE3:
    """Rigid motions T (4, 4), moved by twists (omega, v) in the body's own frame: T exp([d]). Lynch & Park (3.88)."""

    kind = "a rigid motion"
    shape = (4, 4)
    dim = 6
    quaternions = ()

    def identity(self) -> Float[np.ndarray, "4 4"]:
        return np.eye(4)

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, "4 4"]:
        """Return a uniformly random rotation, and a translation within +-1 m."""
        shift = rng.uniform(-1.0, 1.0, 3)
        return transform(ROTATIONS.random(rng), shift)

    def retract(self, x: Float[Array, "4 4"], d: Float[Array, "6"]) -> Float[Array, "4 4"]:
        return x @ exp6(d)

    def near(self, x: Float[Array, "4 4"], d: Float[Array, "6"]) -> Float[Array, "4 4"]:
        """Return T (I + [d] + [d]^2 / 2)."""
        W, v = skew(d[:3]), d[3:]
        return x @ transform(np.eye(3) + W + 0.5 * (W @ W), v + 0.5 * (W @ v))

    def difference(self, x: Float[Array, "4 4"], y: Float[Array, "4 4"]) -> Float[Array, "6"]:
        """Return the twist (rad, m), in x's frame, from x to y."""
        return log6(inverse(x) @ y)

    def defect(self, x: Float[Array, "4 4"], y: Float[Array, "4 4"]) -> Float[Array, "6"]:
        return vanishing(inverse(x) @ y)

    def rate(self, x: Float[Array, "4 4"], v: Float[Array, "6"]) -> Float[Array, "4 4"]:
        return x @ (transform(skew(v[:3]), v[3:]) - CORNER)

    def step_rate(self, d: Float[Array, "6"], v: Float[Array, "6"]) -> Float[Array, "6"]:
        B = ad(d)
        first = B @ v
        return bracket_series(first, B @ first, v)

    def turns(self, d: Float[Array, "6"]) -> list:
        return ROTATIONS.turns(d[:3])

    def normalise(self, x: Float[np.ndarray, "4 4"]) -> Float[np.ndarray, "4 4"]:
        return transform(ROTATIONS.normalise(rotation(x)), translation(x))

    def is_off(self, x: Float[np.ndarray, "N 4 4"], tolerance: float = TOLERANCE) -> Bool[np.ndarray, " N"]:
        return (x[:, 3] != LAST_ROW).any(axis=1) | ROTATIONS.is_off(x[:, :3, :3], tolerance)
