"""The pose of a link or frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics.kinematic_function import validate_frame
from screwgraph.mechanics.kinematics.targets.base import TargetResidual, TargetValue, check_target
from screwgraph.mechanics.kinematics.targets.frame_motion import (
    compute_frame_motion,
    length_of,
    position_of,
    rotation_of,
)
from screwgraph.mechanics.kinematics.targets.rotation_error import (
    rotation_angle,
    rotation_error,
    rotation_error_rates,
    rotation_flaw,
)
from screwgraph.model.robot import Robot
from screwgraph.spatial import Array, rotation, transform, translation
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class Pose:
    """A link or frame has the pose T (4, 4) in the base's frame."""

    __repr__ = one_line

    frame: str
    at: Any = None
    weight: float | None = None
    units = ("rad", "m")
    rule = ("rigid motion", "R is a rotation, det R = 1, and the last row of T is 0 0 0 1")

    def __post_init__(self) -> None:
        check_target(self)

    @property
    def label(self) -> str:
        return f"pose of {self.frame!r}"

    def shape(self, robot: Robot) -> tuple[int, ...]:
        validate_frame(robot, self.frame)
        return (4, 4)

    def moving(self, robot: Robot, q: Array) -> TargetValue:
        return compute_frame_motion(robot, self.frame, q)

    def value(self, moving: TargetValue) -> Float[Array, "4 4"]:
        return transform(rotation_of(moving), position_of(moving))

    def rows(self, robot: Robot, moving: TargetValue, value: Float[Array, "4 4"]) -> TargetResidual:
        e, cosine = rotation_error(rotation_of(moving), rotation(value))
        J = np.concatenate([rotation_error_rates(e, cosine, moving.jacobian[:3]), moving.jacobian[3:]])
        return TargetResidual([*e, *(position_of(moving) - translation(value))], J, (False,) * 3 + (True,) * 3)

    def errors(self, robot: Robot, moving: TargetValue, value: Float[Array, "4 4"]) -> Sequence[Number]:
        e, cosine = rotation_error(rotation_of(moving), rotation(value))
        return [rotation_angle(e, cosine), length_of(position_of(moving) - translation(value))]

    def flaw(self, value: Float[Array, "4 4"]) -> Number:
        last = value[3] - np.array([0.0, 0.0, 0.0, 1.0])
        return rotation_flaw(rotation(value)) + sum((x * x for x in last), start=0.0)
