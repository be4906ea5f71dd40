"""No motion; `robot.merge_fixed` removes such joints before dynamics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.joints.base import zero_twist
from screwgraph.spatial import Array
from screwgraph.spatial.manifolds import Product


@dataclass(frozen=True)
class Fixed:
    """The child does not move relative to its parent."""

    manifold = Product()
    nq = nv = 0
    constant_axes = True

    def transform(self, q: Float[Array, "0"]) -> Float[Array, "4 4"]:
        return np.eye(4)

    def screw_axes(self, q: Float[Array, "0"]) -> Float[Array, "6 0"]:
        return np.zeros((6, 0))

    def motion_groups(self) -> list[Float[np.ndarray, "n 6"]]:
        return []

    def axes_rate_times(self, q: Float[Array, "0"], qd: Float[Array, "0"]) -> Float[Array, "6"]:
        return zero_twist()

    def nearest(self, T: Float[Array, "4 4"]) -> Float[Array, "0"]:
        return np.zeros(0)

    def constraint_wrenches(self, q: Float[Array, "0"]) -> Float[Array, "6 6"]:
        return np.eye(6)
