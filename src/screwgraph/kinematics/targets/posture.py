"""A position of the joints to stay near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.kinematics.targets.base import Moving, Rows
from screwgraph.kinematics.targets.frames import length_of
from screwgraph.robot import Robot
from screwgraph.spatial import Array
from screwgraph.summary import one_line
from screwgraph.tape import Number, jacobian


@dataclass(frozen=True, eq=False)
class Posture:
    """Joints, all or some by name, are near the position q (nq,): a choice among positions, as its weight is small."""

    __repr__ = one_line

    at: Any = None
    weight: float | None = 0.03
    joints: Sequence[str] | None = None
    units = ("rad or m",)

    @property
    def label(self) -> str:
        return "posture" if self.joints is None else f"posture of {', '.join(self.joints)}"

    def shape(self, robot: Robot) -> tuple[int, ...]:
        for name in self.joints or ():
            robot.joint(name)
        return (robot.nq,)

    def moving(self, robot: Robot, q: Array) -> Moving:
        columns = [robot.manifold.rate(q, v) for v in np.eye(robot.nv)]
        return Moving(q, np.array(columns, dtype=object).reshape(robot.nv, robot.nq).T)

    def rows(self, robot: Robot, moving: Moving, value: Float[Array, " nq"]) -> Rows:
        values = self._off(robot, moving, value)
        seeds = [{j: x for j, x in enumerate(row) if not isinstance(x, float) or x} for row in moving.jacobian.tolist()]
        J = np.zeros((len(values), robot.nv), dtype=object)
        for i, row in enumerate(jacobian(values, list(moving.at), seeds)):
            for j, slope in row.items():
                J[i, j] = slope
        return Rows(values, J, (False,) * len(values))

    def errors(self, robot: Robot, moving: Moving, value: Float[Array, " nq"]) -> Sequence[Number]:
        return [length_of(self._off(robot, moving, value))]

    def flaw(self, value: Float[Array, " nq"]) -> Number:
        return 0.0

    def _off(self, robot: Robot, moving: Moving, value: Float[Array, " nq"]) -> list[Number]:
        found: list[Number] = []
        for joint in robot.joints:
            if self.joints is None or joint.name in self.joints:
                place = robot.q_slices[joint.name]
                found += list(joint.type.manifold.defect(value[place], moving.at[place]))
        return found
