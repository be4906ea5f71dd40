"""Six free degrees of motion, as of a mobile base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.robot.joints.base import random_quaternion, zero_twist
from screwgraph.spatial import Array, so3, transform, vector


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
