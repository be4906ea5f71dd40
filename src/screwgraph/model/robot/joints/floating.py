"""Six free degrees of motion, as of a mobile base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.joints.base import zero_twist
from screwgraph.spatial import Array, ad
from screwgraph.spatial.manifolds import FloatingPose


@dataclass(frozen=True)
class Floating:
    """Any motion; q = (x y z, qx qy qz qw) in the parent's frame, qd = twist (omega, v) in the child's frame."""

    manifold = FloatingPose()
    nq, nv = 7, 6
    constant_axes = True

    def transform(self, q: Float[Array, "7"]) -> Float[Array, "4 4"]:
        return self.manifold.to_transform(q)

    def screw_axes(self, q: Float[Array, "7"]) -> Float[Array, "6 6"]:
        return np.eye(6)

    def motion_groups(self) -> list[Float[np.ndarray, "6 6"]]:
        return [np.eye(6, 6)]

    def axes_rate_times(self, q: Float[Array, "7"], qd: Float[Array, "6"]) -> Float[Array, "6"]:
        return zero_twist()

    def turned_momentum(self, qd: Float[Array, "6"], momentum: Float[Array, "6"]) -> Float[Array, "6"]:
        return -ad(qd).T @ momentum

    def nearest(self, T: Float[Array, "4 4"]) -> Float[Array, "7"]:
        return self.manifold.of_transform(T)

    def constraint_wrenches(self, q: Float[Array, "7"]) -> Float[Array, "6 0"]:
        return np.zeros((6, 0))
