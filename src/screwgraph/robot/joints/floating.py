"""Six free degrees of motion, as of a mobile base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.robot.joints.base import random_quaternion, swept, to_quaternion, turned, zero_twist
from screwgraph.spatial import Array, rotation, so3, transform, translation, vector


@dataclass(frozen=True)
class Floating:
    """Any motion; q = (x y z, qx qy qz qw) in the parent's frame, qd = twist (omega, v) in the child's frame."""

    nq, nv = 7, 6
    constant_axes = True

    def transform(self, q: Float[Array, "7"]) -> Float[Array, "4 4"]:
        return transform(so3.from_quaternion(q[3:]), q[:3])

    def screw_axes(self, q: Float[Array, "7"]) -> Float[Array, "6 6"]:
        return np.eye(6)

    def axes_rate_times(self, q: Float[Array, "7"], qd: Float[Array, "6"]) -> Float[Array, "6"]:
        return zero_twist()

    def position_rate(self, q: Float[Array, "7"], qd: Float[Array, "6"]) -> Float[Array, "7"]:
        v = so3.from_quaternion(q[3:]) @ qd[3:]
        return vector([v[0], v[1], v[2], *so3.quaternion_rate(q[3:], qd[:3])])

    def neutral(self) -> Float[np.ndarray, "7"]:
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, "7"]:
        return np.concatenate([rng.uniform(-1.0, 1.0, 3), random_quaternion(rng)])

    def retract(self, q: Float[np.ndarray, "7"], step: Float[np.ndarray, "6"]) -> Float[np.ndarray, "7"]:
        """Follow the screw motion of the constant twist `step`. Lynch & Park (3.88)."""
        shift = so3.from_quaternion(q[3:]) @ swept(step[:3]) @ step[3:]
        return np.concatenate([q[:3] + shift, turned(q[3:], step[:3])])

    def nearest(self, T: Float[np.ndarray, "4 4"]) -> Float[np.ndarray, "7"]:
        return np.concatenate([translation(T), to_quaternion(rotation(T))])

    def constraint_wrenches(self, q: Float[Array, "7"]) -> Float[Array, "6 0"]:
        return np.zeros((6, 0))
