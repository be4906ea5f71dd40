"""Rotation about an axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.robot.joints.base import Vector3, unit, zero_twist
from screwgraph.spatial import Array, so3, transform


@dataclass(frozen=True)
class Revolute:
    """Rotation by q (rad) about `axis` through the origin of the child's frame."""

    axis: Vector3 = (0.0, 0.0, 1.0)
    nq = nv = 1
    constant_axes = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def transform(self, q: Float[Array, "1"]) -> Float[Array, "4 4"]:
        return transform(so3.about_axis(np.array(self.axis), q[0]), np.zeros(3))

    def screw_axes(self, q: Float[Array, "1"]) -> Float[Array, "6 1"]:
        return np.array([[*self.axis, 0.0, 0.0, 0.0]]).T

    def axes_rate_times(self, q: Float[Array, "1"], qd: Float[Array, "1"]) -> Float[Array, "6"]:
        return zero_twist()

    def position_rate(self, q: Float[Array, "1"], qd: Float[Array, "1"]) -> Float[Array, "1"]:
        return qd

    def neutral(self) -> Float[np.ndarray, "1"]:
        return np.zeros(1)

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, "1"]:
        return rng.uniform(-np.pi, np.pi, 1)
