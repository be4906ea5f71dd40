"""Screw motion: rotation about an axis with proportional translation along it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.robot.joints.base import (
    Vector3,
    angle_about,
    dot_product,
    normalise_axis,
    opposite_axis,
    perpendicular_axes,
    rotate_axis,
    stack_wrenches,
    zero_twist,
)
from screwgraph.spatial import Array, floor, rotation, so3, transform, translation, vector
from screwgraph.spatial.manifolds import Vector


@dataclass(frozen=True)
class Helical:
    """Rotation by q (rad) about `axis` and translation by `pitch` (m/rad) times q along it."""

    axis: Vector3 = (0.0, 0.0, 1.0)
    pitch: float = 0.0
    manifold = Vector(1, (np.pi,))
    nq = nv = 1
    constant_axes = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", normalise_axis(self.axis))
        if not np.isfinite(self.pitch):
            raise InputError(f"pitch {self.pitch!r} is not a finite number (m/rad)")

    def transform(self, q: Float[Array, "1"]) -> Float[Array, "4 4"]:
        shift = vector([a * self.pitch * q[0] for a in self.axis])
        return transform(so3.about_axis(np.array(self.axis), q[0]), shift)

    def screw_axes(self, q: Float[Array, "1"]) -> Float[Array, "6 1"]:
        return np.array([[*self.axis, *(self.pitch * a for a in self.axis)]]).T

    def motion_groups(self) -> list[Float[np.ndarray, "1 6"]]:
        return [self.screw_axes(np.zeros(1)).T]

    def rotate(self, R: Float[np.ndarray, "3 3"]) -> Helical:
        return replace(self, axis=rotate_axis(R, self.axis))

    def reverse(self) -> Helical:
        return replace(self, axis=opposite_axis(self.axis))

    def axes_rate_times(self, q: Float[Array, "1"], qd: Float[Array, "1"]) -> Float[Array, "6"]:
        return zero_twist()

    def nearest(self, T: Float[Array, "4 4"]) -> Float[Array, "1"]:
        """Whole turns are counted by the translation."""
        angle = angle_about(self.axis, rotation(T))
        if self.pitch:
            turns = (dot_product(self.axis, translation(T)) / self.pitch - angle) / (2.0 * np.pi)
            angle = angle + 2.0 * np.pi * floor(turns + 0.5)
        return vector([angle])

    def constraint_wrenches(self, q: Float[Array, "1"]) -> Float[Array, "6 5"]:
        axis = np.array(self.axis)
        screw = np.concatenate([-self.pitch * axis, axis])
        return np.column_stack([stack_wrenches(perpendicular_axes(self.axis), perpendicular_axes(self.axis)), screw])
