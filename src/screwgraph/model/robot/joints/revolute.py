"""Rotation about an axis."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.joints.base import (
    Vector3,
    angle_about,
    normalise_axis,
    opposite_axis,
    perpendicular_axes,
    rotate_axis,
    stack_wrenches,
    zero_twist,
)
from screwgraph.spatial import Array, rotation, so3, transform, vector
from screwgraph.spatial.manifolds import Vector


@dataclass(frozen=True)
class Revolute:
    """Rotation by q + offset (rad) about `axis` through the origin of the child's frame."""

    axis: Vector3 = (0.0, 0.0, 1.0)
    offset: float = 0.0
    manifold = Vector(1, (np.pi,))
    nq = nv = 1
    constant_axes = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", normalise_axis(self.axis))

    def transform(self, q: Float[Array, "1"]) -> Float[Array, "4 4"]:
        angle = q[0] + self.offset if self.offset else q[0]
        return transform(so3.about_axis(np.array(self.axis), angle), np.zeros(3))

    def screw_axes(self, q: Float[Array, "1"]) -> Float[Array, "6 1"]:
        return np.array([[*self.axis, 0.0, 0.0, 0.0]]).T

    def motion_groups(self) -> list[Float[np.ndarray, "1 6"]]:
        return [self.screw_axes(np.zeros(1)).T]

    def rotate(self, R: Float[np.ndarray, "3 3"]) -> Revolute:
        return replace(self, axis=rotate_axis(R, self.axis))

    def reverse(self) -> Revolute:
        return replace(self, axis=opposite_axis(self.axis))

    def shift_zero(self, change: float) -> Revolute:
        return replace(self, offset=self.offset + change)

    def axes_rate_times(self, q: Float[Array, "1"], qd: Float[Array, "1"]) -> Float[Array, "6"]:
        return zero_twist()

    def nearest(self, T: Float[Array, "4 4"]) -> Float[Array, "1"]:
        return vector([angle_about(self.axis, rotation(T)) - self.offset])

    def constraint_wrenches(self, q: Float[Array, "1"]) -> Float[Array, "6 5"]:
        return stack_wrenches(perpendicular_axes(self.axis), list(np.eye(3)))
