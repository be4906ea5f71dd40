"""The direction of an axis of a link or frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics.kinematic_function import validate_frame
from screwgraph.mechanics.kinematics.targets.base import TargetResidual, TargetValue, check_target
from screwgraph.mechanics.kinematics.targets.frame_motion import compute_frame_motion, length_of, rotation_of
from screwgraph.mechanics.kinematics.targets.rotation_error import HALF_TURN
from screwgraph.model.robot import Robot
from screwgraph.spatial import Array, atan2, choose, cross, finite_vector, maximum, sqrt, vector
from screwgraph.tape import Number

Z = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Direction:
    """An `axis` of a link or frame, in its own axes, points along a direction (3,) of the base.

    Turns about it are free. Neither the axis nor the direction needs unit length.
    """

    __repr__ = one_line

    frame: str
    at: Any = None
    weight: float | None = None
    axis: Any = Z
    units = ("rad",)
    rule = ("direction", "its length is not zero")

    def __post_init__(self) -> None:
        axis = finite_vector(self.axis, 3, "axis", "it is a direction in the frame's axes")
        if not np.any(axis):
            raise InputError(f"the axis of frame {self.frame!r} is zero", fix="give a direction such as (0, 0, 1)")
        check_target(self)

    @property
    def label(self) -> str:
        return f"direction ({', '.join(f'{x:g}' for x in self._own)}) of {self.frame!r}"

    def shape(self, robot: Robot) -> tuple[int, ...]:
        validate_frame(robot, self.frame)
        return (3,)

    def moving(self, robot: Robot, q: Array) -> TargetValue:
        return compute_frame_motion(robot, self.frame, q)

    def value(self, moving: TargetValue) -> Float[Array, "3"]:
        return rotation_of(moving) @ self._own

    def rows(self, robot: Robot, moving: TargetValue, value: Float[Array, "3"]) -> TargetResidual:
        """Return 2 sin(theta/2) u, the rotation by theta about u being the least that leads to where the axis points.

        With e = s (d x v), s = 1 / cos(theta/2): its rate is s (c I - v d') w + s/4 e e' w at the angular velocity w.
        """
        v, d = self.value(moving), _normalised(value)
        c = sum(a * b for a, b in zip(d, v, strict=True))
        s = 2.0 / sqrt(maximum(2.0 + 2.0 * c, HALF_TURN))
        e = s * vector(cross(d, v))
        rates = s * (c * np.eye(3) - np.outer(v, d)) + 0.25 * s * np.outer(e, e)
        return TargetResidual(list(e), rates @ moving.jacobian[:3], (False,) * 3)

    def errors(self, robot: Robot, moving: TargetValue, value: Float[Array, "3"]) -> Sequence[Number]:
        v, d = self.value(moving), _normalised(value)
        return [atan2(length_of(cross(d, v)), sum(a * b for a, b in zip(d, v, strict=True)))]

    def flaw(self, value: Float[Array, "3"]) -> Number:
        return choose(length_of(value) > 0.0, 0.0, 1.0)

    @property
    def _own(self) -> Float[np.ndarray, "3"]:
        axis = np.array([float(x) for x in self.axis])
        return axis / np.linalg.norm(axis)


def _normalised(direction: Float[Array, "3"]) -> Float[Array, "3"]:
    size = length_of(direction)
    return direction * (1.0 / choose(size > 0.0, size, 1.0))
