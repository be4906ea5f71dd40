"""Ball joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.robot.joints.base import random_quaternion, to_quaternion, turned, zero_twist
from screwgraph.spatial import Array, rotation, so3, transform, vector


@dataclass(frozen=True)
class Spherical:
    """Any rotation; q is a unit quaternion (x, y, z, w), qd the angular velocity in the child's frame (rad/s)."""

    nq, nv = 4, 3
    constant_axes = True

    def transform(self, q: Float[Array, "4"]) -> Float[Array, "4 4"]:
        return transform(so3.from_quaternion(q), np.zeros(3))

    def screw_axes(self, q: Float[Array, "4"]) -> Float[Array, "6 3"]:
        return np.eye(6, 3)

    def axes_rate_times(self, q: Float[Array, "4"], qd: Float[Array, "3"]) -> Float[Array, "6"]:
        return zero_twist()

    def position_rate(self, q: Float[Array, "4"], qd: Float[Array, "3"]) -> Float[Array, "4"]:
        return vector(so3.quaternion_rate(q, qd))

    def neutral(self) -> Float[np.ndarray, "4"]:
        return np.array([0.0, 0.0, 0.0, 1.0])

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, "4"]:
        return random_quaternion(rng)

    def retract(self, q: Float[np.ndarray, "4"], step: Float[np.ndarray, "3"]) -> Float[np.ndarray, "4"]:
        return turned(q, step)

    def nearest(self, T: Float[np.ndarray, "4 4"]) -> Float[np.ndarray, "4"]:
        return to_quaternion(rotation(T))

    def constraint_wrenches(self, q: Float[Array, "4"]) -> Float[Array, "6 3"]:
        return np.eye(6)[:, 3:]
