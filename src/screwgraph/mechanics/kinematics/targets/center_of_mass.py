"""The centre of mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics.first_moments import check_mass, moving_mass, total_first_moment
from screwgraph.mechanics.kinematics.jacobians import compute_mass_jacobian
from screwgraph.mechanics.kinematics.targets.base import TargetResidual, TargetValue, check_target, validate_axes
from screwgraph.mechanics.kinematics.targets.frame_motion import length_of
from screwgraph.model.robot import Robot
from screwgraph.spatial import Array
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class CenterOfMass:
    """The centre of mass of the links that move is at (x, y, z) (m) of the base; of `axes` alone, if named."""

    __repr__ = one_line

    at: Any = None
    weight: float | None = None
    axes: str = "xyz"
    units = ("m",)
    rule = ("point", "")

    def __post_init__(self) -> None:
        check_target(self)

    @property
    def label(self) -> str:
        return f"centre of mass{' ' + self.axes if self.axes != 'xyz' else ''}"

    def shape(self, robot: Robot) -> tuple[int, ...]:
        check_mass(robot)
        return (len(validate_axes(self.axes)),)

    def moving(self, robot: Robot, q: Array) -> TargetValue:
        return TargetValue(
            total_first_moment(robot, q).first * (1.0 / moving_mass(robot)), compute_mass_jacobian(robot, q)
        )

    def value(self, moving: TargetValue) -> Float[Array, " k"]:
        return moving.at[validate_axes(self.axes)]

    def rows(self, robot: Robot, moving: TargetValue, value: Float[Array, " k"]) -> TargetResidual:
        chosen = validate_axes(self.axes)
        return TargetResidual(list(self.value(moving) - value), moving.jacobian[chosen], (True,) * len(chosen))

    def errors(self, robot: Robot, moving: TargetValue, value: Float[Array, " k"]) -> Sequence[Number]:
        return [length_of(self.value(moving) - value)]

    def flaw(self, value: Float[Array, " k"]) -> Number:
        return 0.0
