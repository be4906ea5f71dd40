"""Two rotations about axes that meet, as of a Cardan joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.robot.joints.base import (
    Vector3,
    dot_product,
    normalise_axis,
    opposite_axis,
    rotate_axis,
    stack_wrenches,
)
from screwgraph.spatial import Array, atan2, concatenate, matrix, rotation, so3, transform, vector
from screwgraph.spatial.manifolds import Vector


@dataclass(frozen=True)
class Universal:
    """Rotation by q[0] about `axis`, fixed in the parent, then by q[1] about `axis2`, fixed in the child (rad)."""

    axis: Vector3 = (1.0, 0.0, 0.0)
    axis2: Vector3 = (0.0, 1.0, 0.0)
    manifold = Vector(2, (np.pi, np.pi))
    nq = nv = 2
    constant_axes = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", normalise_axis(self.axis))
        object.__setattr__(self, "axis2", normalise_axis(self.axis2, "axis2"))
        if np.linalg.norm(np.cross(self.axis, self.axis2)) < 1e-9:
            raise InputError("the two axes of a universal joint are parallel", fix="make it a revolute joint")

    def transform(self, q: Float[Array, "2"]) -> Float[Array, "4 4"]:
        R = so3.about_axis(np.array(self.axis), q[0]) @ self._second(q)
        return transform(R, np.zeros(3))

    def screw_axes(self, q: Float[Array, "2"]) -> Float[Array, "6 2"]:
        first = self._first_axis_in_child(q)
        return matrix([[first[i], self.axis2[i]] for i in range(3)] + [[0.0, 0.0]] * 3)

    def motion_groups(self) -> list[Float[np.ndarray, "1 6"]]:
        return [np.array([[*axis, 0.0, 0.0, 0.0]]) for axis in (self.axis, self.axis2)]

    def axes_rate_times(self, q: Float[Array, "2"], qd: Float[Array, "2"]) -> Float[Array, "6"]:
        """The first axis, seen from the child, turns against the second rotation."""
        turning = -(so3.skew(np.array(self.axis2)) @ self._first_axis_in_child(q)) * qd[1] * qd[0]
        return concatenate(turning, np.zeros(3))

    def nearest(self, T: Float[Array, "4 4"]) -> Float[Array, "2"]:
        a, b = np.array(self.axis), np.array(self.axis2)
        R = rotation(T)
        return vector([_angle(a, b, R @ b), -_angle(b, a, R.T @ a)])

    def constraint_wrenches(self, q: Float[Array, "2"]) -> Float[Array, "6 4"]:
        return self._wrenches_between(self._first_axis_in_child(q))

    def wrenches_seen(self, R: Float[Array, "3 3"]) -> Float[Array, "6 4"]:
        return self._wrenches_between(R @ np.array(self.axis))

    def rate_of_wrenches(self, R: Float[Array, "3 3"], V: Float[Array, "6"]) -> Float[Array, "4"]:
        """The first axis, seen from the child, turns against the child; forces stay."""
        across = so3.skew(np.array(self.axis2)) @ -(so3.skew(V[:3]) @ (R @ np.array(self.axis)))
        return vector([across[0] * V[0] + across[1] * V[1] + across[2] * V[2], 0.0, 0.0, 0.0])

    def rotate(self, R: Float[np.ndarray, "3 3"]) -> Universal:
        return Universal(rotate_axis(R, self.axis), rotate_axis(R, self.axis2))

    def reverse(self) -> Universal:
        return Universal(opposite_axis(self.axis2), opposite_axis(self.axis))

    def _wrenches_between(self, first: Float[Array, "3"]) -> Float[Array, "6 4"]:
        """Return the moment about the normal of both axes, and any force; `first` is the first axis in the child."""
        normal = so3.skew(np.array(self.axis2)) @ first
        forces = stack_wrenches([], list(np.eye(3)))
        return matrix([[normal[i] if i < 3 else 0.0, *forces[i]] for i in range(6)])

    def _second(self, q: Float[Array, "2"]) -> Float[Array, "3 3"]:
        return so3.about_axis(np.array(self.axis2), q[1])

    def _first_axis_in_child(self, q: Float[Array, "2"]) -> Float[Array, "3"]:
        return self._second(q).T @ np.array(self.axis)


def _angle(axis: Float[np.ndarray, "3"], start: Float[np.ndarray, "3"], end: Float[Array, "3"]) -> Any:
    """Return the angle about `axis` that turns one direction towards another, seen along the axis."""
    return atan2(
        dot_product(axis, so3.skew(start) @ end), dot_product(start, end) - (axis @ start) * dot_product(axis, end)
    )
