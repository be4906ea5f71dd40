"""Ball joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.joints.base import zero_twist
from screwgraph.spatial import Array, quaternions, rotation, transform
from screwgraph.spatial.manifolds import UnitQuaternion


@dataclass(frozen=True)
class Spherical:
    """Any rotation; q is a unit quaternion (x, y, z, w), qd the angular velocity in the child's frame (rad/s)."""

    manifold = UnitQuaternion()
    nq, nv = 4, 3
    constant_axes = True

    def transform(self, q: Float[Array, "4"]) -> Float[Array, "4 4"]:
        return transform(quaternions.to_rotation(q), np.zeros(3))

    def screw_axes(self, q: Float[Array, "4"]) -> Float[Array, "6 3"]:
        return np.eye(6, 3)

    def motion_groups(self) -> list[Float[np.ndarray, "3 6"]]:
        return [np.eye(3, 6)]

    def axes_rate_times(self, q: Float[Array, "4"], qd: Float[Array, "3"]) -> Float[Array, "6"]:
        return zero_twist()

    def nearest(self, T: Float[Array, "4 4"]) -> Float[Array, "4"]:
        return quaternions.from_rotation(rotation(T))

    def constraint_wrenches(self, q: Float[Array, "4"]) -> Float[Array, "6 3"]:
        return np.eye(6)[:, 3:]
