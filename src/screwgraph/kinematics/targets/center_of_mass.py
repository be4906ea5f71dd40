"""The centre of mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float

from screwgraph.kinematics.jacobians import jacobian_of_mass
from screwgraph.kinematics.moments import check_mass, moving_mass, total
from screwgraph.kinematics.targets.base import Moving, Rows, check_target, checked_axes
from screwgraph.kinematics.targets.frames import length_of
from screwgraph.robot import Robot
from screwgraph.spatial import Array
from screwgraph.summary import one_line
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class CenterOfMass:
    """The centre of mass of the links that move is at (x, y, z) (m) of the base; of `axes` alone, if named."""

    __repr__ = one_line

    at: Any = None
    weight: float | None = None
    axes: str = "xyz"
    units = ("m",)

    def __post_init__(self) -> None:
        check_target(self)

    @property
    def label(self) -> str:
        return f"centre of mass{' ' + self.axes if self.axes != 'xyz' else ''}"

    def shape(self, robot: Robot) -> tuple[int, ...]:
        check_mass(robot)
        return (len(checked_axes(self.axes)),)

    def moving(self, robot: Robot, q: Array) -> Moving:
        return Moving(total(robot, q).first * (1.0 / moving_mass(robot)), jacobian_of_mass(robot, q))

    def value(self, moving: Moving) -> Float[Array, " k"]:
        return moving.at[checked_axes(self.axes)]

    def rows(self, robot: Robot, moving: Moving, value: Float[Array, " k"]) -> Rows:
        chosen = checked_axes(self.axes)
        return Rows(list(self.value(moving) - value), moving.jacobian[chosen], (True,) * len(chosen))

    def errors(self, robot: Robot, moving: Moving, value: Float[Array, " k"]) -> Sequence[Number]:
        return [length_of(self.value(moving) - value)]

    def flaw(self, value: Float[Array, " k"]) -> Number:
        return 0.0
