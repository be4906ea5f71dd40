"""Sliding along an axis."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.joints.base import (
    Vector3,
    dot_product,
    normalise_axis,
    opposite_axis,
    perpendicular_axes,
    rotate_axis,
    stack_wrenches,
    zero_twist,
)
from screwgraph.spatial import Array, transform, translation, vector
from screwgraph.spatial.manifolds import Vector


@dataclass(frozen=True)
class Prismatic:
    """Translation by q (m) along `axis`."""

    axis: Vector3 = (0.0, 0.0, 1.0)
    manifold = Vector(1, (1.0,))
    nq = nv = 1
    constant_axes = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", normalise_axis(self.axis))

    def transform(self, q: Float[Array, "1"]) -> Float[Array, "4 4"]:
        return transform(np.eye(3), vector([a * q[0] for a in self.axis]))

    def screw_axes(self, q: Float[Array, "1"]) -> Float[Array, "6 1"]:
        return np.array([[0.0, 0.0, 0.0, *self.axis]]).T

    def motion_groups(self) -> list[Float[np.ndarray, "1 6"]]:
        return [self.screw_axes(np.zeros(1)).T]

    def rotate(self, R: Float[np.ndarray, "3 3"]) -> Prismatic:
        return replace(self, axis=rotate_axis(R, self.axis))

    def reverse(self) -> Prismatic:
        return replace(self, axis=opposite_axis(self.axis))

    def axes_rate_times(self, q: Float[Array, "1"], qd: Float[Array, "1"]) -> Float[Array, "6"]:
        return zero_twist()

    def nearest(self, T: Float[Array, "4 4"]) -> Float[Array, "1"]:
        return vector([dot_product(self.axis, translation(T))])

    def constraint_wrenches(self, q: Float[Array, "1"]) -> Float[Array, "6 5"]:
        return stack_wrenches(list(np.eye(3)), perpendicular_axes(self.axis))
