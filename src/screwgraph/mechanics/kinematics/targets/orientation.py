"""The orientation of a link or frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics.kinematic_function import validate_frame
from screwgraph.mechanics.kinematics.targets.base import TargetResidual, TargetValue, check_target
from screwgraph.mechanics.kinematics.targets.frame_motion import compute_frame_motion, rotation_of
from screwgraph.mechanics.kinematics.targets.rotation_error import (
    rotation_angle,
    rotation_error,
    rotation_error_rates,
    rotation_flaw,
)
from screwgraph.model.robot import Robot
from screwgraph.spatial import Array
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class Orientation:
    """The axes of a link or frame are the columns of R (3, 3), in the base's axes; it may be anywhere."""

    __repr__ = one_line

    frame: str
    at: Any = None
    weight: float | None = None
    units = ("rad",)
    rule = ("rotation", "R'R is the identity, det R = 1")

    def __post_init__(self) -> None:
        check_target(self)

    @property
    def label(self) -> str:
        return f"orientation of {self.frame!r}"

    def shape(self, robot: Robot) -> tuple[int, ...]:
        validate_frame(robot, self.frame)
        return (3, 3)

    def moving(self, robot: Robot, q: Array) -> TargetValue:
        return compute_frame_motion(robot, self.frame, q)

    def value(self, moving: TargetValue) -> Float[Array, "3 3"]:
        return rotation_of(moving)

    def rows(self, robot: Robot, moving: TargetValue, value: Float[Array, "3 3"]) -> TargetResidual:
        e, cosine = rotation_error(rotation_of(moving), value)
        return TargetResidual(list(e), rotation_error_rates(e, cosine, moving.jacobian[:3]), (False,) * 3)

    def errors(self, robot: Robot, moving: TargetValue, value: Float[Array, "3 3"]) -> Sequence[Number]:
        return [rotation_angle(*rotation_error(rotation_of(moving), value))]

    def flaw(self, value: Float[Array, "3 3"]) -> Number:
        return rotation_flaw(value)
