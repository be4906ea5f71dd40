"""A position of the joints to stay near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics.targets.base import TargetResidual, TargetValue, check_target
from screwgraph.mechanics.kinematics.targets.frame_motion import length_of
from screwgraph.mechanics.kinematics.targets.tangent_derivatives import differentiate_along, position_rates
from screwgraph.model.robot import Robot
from screwgraph.spatial import Array
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class Posture:
    """Joints, all or some by name, are near the position q (nq,): a choice among positions, as its weight is small."""

    __repr__ = one_line

    at: Any = None
    weight: float | None = 0.01
    joints: str | Sequence[str] | None = None
    units = ("rad or m",)
    rule = ("position", "")

    def __post_init__(self) -> None:
        check_target(self)

    @property
    def label(self) -> str:
        return "posture" if self.joints is None else f"posture of {', '.join(self._names)}"

    @property
    def _names(self) -> tuple[str, ...]:
        return (self.joints,) if isinstance(self.joints, str) else tuple(self.joints or ())

    def shape(self, robot: Robot) -> tuple[int, ...]:
        for name in self._names:
            robot.joint(name)
        return (robot.nq,)

    def moving(self, robot: Any, q: Array) -> TargetValue:
        return TargetValue(q, position_rates(robot.manifold, q))

    def value(self, moving: TargetValue) -> Float[Array, " nq"]:
        return moving.at

    def rows(self, robot: Any, moving: TargetValue, value: Float[Array, " nq"]) -> TargetResidual:
        values = self._off(robot, moving, value)
        return TargetResidual(values, differentiate_along(values, moving.at, moving.jacobian), (False,) * len(values))

    def errors(self, robot: Robot, moving: TargetValue, value: Float[Array, " nq"]) -> Sequence[Number]:
        return [length_of(self._off(robot, moving, value))]

    def flaw(self, value: Float[Array, " nq"]) -> Number:
        return 0.0

    def _off(self, robot: Robot, moving: TargetValue, value: Float[Array, " nq"]) -> list[Number]:
        if self.joints is None:
            return list(robot.manifold.defect(value, moving.at))
        found: list[Number] = []
        for joint in robot.joints:
            if joint.name in self._names:
                place = robot.q_slices[joint.name]
                found += list(joint.type.manifold.defect(value[place], moving.at[place]))
        return found
