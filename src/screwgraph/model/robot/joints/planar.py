"""Sliding in a plane and turning about its normal."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.joints.base import (
    Vector3,
    angle_about,
    dot_product,
    normalise_axis,
    perpendicular_axes,
    rotate_axis,
    stack_wrenches,
)
from screwgraph.spatial import Array, concatenate, matrix, rotation, so3, transform, translation, vector
from screwgraph.spatial.manifolds import Vector


@dataclass(frozen=True)
class Planar:
    """Translation by q[0], q[1] (m) in the plane normal to `axis`, then rotation by q[2] (rad) about `axis`.

    The in-plane directions belong to the parent: for `axis` z they are x and y; for x they are y and z;
    for y they are z and x; for any other axis, the coordinate directions nearest to those.
    """

    axis: Vector3 = (0.0, 0.0, 1.0)
    manifold = Vector(3, (1.0, 1.0, np.pi))
    nq = nv = 3
    constant_axes = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", normalise_axis(self.axis, "normal"))

    def transform(self, q: Float[Array, "3"]) -> Float[Array, "4 4"]:
        u, v = self.in_plane()
        return transform(self._rotation(q), u * q[0] + v * q[1])

    def screw_axes(self, q: Float[Array, "3"]) -> Float[Array, "6 3"]:
        linear = self._rotation(q).T @ np.stack(self.in_plane(), axis=1)
        angular = [[0.0, 0.0, a] for a in self.axis]
        return matrix(angular + [[linear[i, 0], linear[i, 1], 0.0] for i in range(3)])

    def motion_groups(self) -> list[Float[np.ndarray, "1 6"]]:
        slides = [np.array([[0.0, 0.0, 0.0, *axis]]) for axis in self.in_plane()]
        return [*slides, np.array([[*self.axis, 0.0, 0.0, 0.0]])]

    def rotate(self, R: Float[np.ndarray, "3 3"]) -> Planar:
        return replace(self, axis=rotate_axis(R, self.axis))

    def reverse(self) -> Planar:
        """Any motion in the plane is one of the parent in it, too; places are then measured from the child."""
        return self

    def axes_rate_times(self, q: Float[Array, "3"], qd: Float[Array, "3"]) -> Float[Array, "6"]:
        """The parent's in-plane directions, seen from the child, turn against its rotation."""
        u, v = self.in_plane()
        sliding = self._rotation(q).T @ (u * qd[0] + v * qd[1])
        return concatenate(np.zeros(3), -(so3.skew(np.array(self.axis)) @ sliding) * qd[2])

    def nearest(self, T: Float[Array, "4 4"]) -> Float[Array, "3"]:
        u, v = self.in_plane()
        p = translation(T)
        return vector([dot_product(u, p), dot_product(v, p), angle_about(self.axis, rotation(T))])

    def constraint_wrenches(self, q: Float[Array, "3"]) -> Float[Array, "6 3"]:
        return stack_wrenches(self.in_plane(), [np.array(self.axis)])

    def in_plane(self) -> tuple[Float[np.ndarray, "3"], Float[np.ndarray, "3"]]:
        """Return the directions of q[0] and q[1]; with the normal they are right-handed."""
        return perpendicular_axes(self.axis)

    def _rotation(self, q: Float[Array, "3"]) -> Float[Array, "3 3"]:
        return so3.about_axis(np.array(self.axis), q[2])
