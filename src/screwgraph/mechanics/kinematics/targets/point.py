"""A point of a link or frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics.kinematic_function import validate_frame
from screwgraph.mechanics.kinematics.targets.base import TargetResidual, TargetValue, check_target, validate_axes
from screwgraph.mechanics.kinematics.targets.frame_motion import (
    compute_frame_motion,
    length_of,
    position_of,
    rotation_of,
)
from screwgraph.model.robot import Robot
from screwgraph.spatial import Array, finite_vector, skew
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class Point:
    """A point of a link or frame, `offset` (m) in its axes, is at (x, y, z) (m) of the base; of `axes` alone, if named.

    "xy" leaves its height free, for instance.
    """

    __repr__ = one_line

    frame: str
    at: Any = None
    weight: float | None = None
    offset: Any = (0.0, 0.0, 0.0)
    axes: str = "xyz"
    units = ("m",)
    rule = ("point", "")

    def __post_init__(self) -> None:
        finite_vector(self.offset, 3, "offset", "it is a point in the frame's axes (m)")
        check_target(self)

    @property
    def label(self) -> str:
        offset = "" if not any(self.offset) else f" + ({', '.join(map(str, self.offset))}) m"
        return f"position{' ' + self.axes if self.axes != 'xyz' else ''} of {self.frame!r}{offset}"

    def shape(self, robot: Robot) -> tuple[int, ...]:
        validate_frame(robot, self.frame)
        return (len(validate_axes(self.axes)),)

    def moving(self, robot: Robot, q: Array) -> TargetValue:
        return compute_frame_motion(robot, self.frame, q)

    def value(self, moving: TargetValue) -> Float[Array, " k"]:
        return (position_of(moving) + self._arm(moving))[validate_axes(self.axes)]

    def rows(self, robot: Robot, moving: TargetValue, value: Float[Array, " k"]) -> TargetResidual:
        J = moving.jacobian[3:] - skew(self._arm(moving)) @ moving.jacobian[:3]
        chosen = validate_axes(self.axes)
        return TargetResidual(list(self.value(moving) - value), J[chosen], (True,) * len(chosen))

    def errors(self, robot: Robot, moving: TargetValue, value: Float[Array, " k"]) -> Sequence[Number]:
        return [length_of(self.value(moving) - value)]

    def flaw(self, value: Float[Array, " k"]) -> Number:
        return 0.0

    def _arm(self, moving: TargetValue) -> Float[Array, "3"]:
        return rotation_of(moving) @ np.array([float(x) for x in self.offset])
