"""Motors on joints that close loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.robot.actuator import Actuator, ActuatorReading, ActuatorWriting, Lever
from screwgraph.model.robot.closure.loop_chain import Chain, chain_of
from screwgraph.model.robot.coordinate_units import units
from screwgraph.spatial import Array

if TYPE_CHECKING:
    from screwgraph.model.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class LoopLever(Lever):
    """The lever arms of a motor on a loop joint: it turns the successor, and the predecessor back."""

    __repr__ = Lever.__repr__

    chain: Chain

    def arms(self, q: Sequence[Float[Array, " nq"]]) -> list[Float[Array, " nv"]]:
        kind = self.chain.loop.type
        A = np.asarray(kind.screw_axes(kind.manifold.identity()), dtype=float)[:, 0]
        torques = self.chain.screws(q, self.chain.poses(q)).T @ (A / (A @ A))
        ends = np.cumsum([joint.type.nv for joint in self.joints])
        return [torques[end - joint.type.nv : end] for joint, end in zip(self.joints, ends, strict=True)]

    def displacement(self, q: Sequence[Float[Array, " nq"]]) -> Any:
        return self.chain.loop.type.nearest(self.chain.T_loop(self.chain.poses(q)))[0]


@dataclass(frozen=True, eq=False)
class LoopMotor(Actuator):
    """An actuator on the joint of one coordinate that closes a loop."""

    __repr__ = Actuator.__repr__

    loop: str

    keys: ClassVar[Mapping[str, tuple[str, str, str]]] = {
        "loop": ("in the place of these: the loop whose joint it turns", "text", "")
    }

    @classmethod
    def read(cls, name: str, entries: Mapping[str, Any], reading: ActuatorReading) -> LoopMotor:
        return cls(name, entries["loop"].text())

    def entries(self, writing: ActuatorWriting) -> dict[str, Any]:
        return {"loop": self.loop}

    @property
    def text(self) -> str:
        return f"the joint of loop {self.loop!r}"

    def effort_unit(self, robot: Robot) -> str:
        kind = next(loop for loop in robot.loops if loop.name == self.loop).type
        return self.unit or units(kind).effort[0]

    def check(self, robot: Robot, at: object) -> None:
        loop = next((loop for loop in robot.loops if loop.name == self.loop), None)
        if loop is None or loop.type.nv != 1:
            raise ModelError(
                f"{self.who} drives loop {self.loop!r}",
                at=at,
                why="no loop has that name" if loop is None else f"its joint has {loop.type.nv} degrees of freedom",
                fix="name a loop joint of one coordinate",
            )

    def lever(self, robot: Robot) -> Lever:
        chain = chain_of(robot, next(loop for loop in robot.loops if loop.name == self.loop))
        return LoopLever(chain.joints, chain, law=self.force)

    def with_fixed(self, positions: Mapping[str, float]) -> LoopMotor:
        return self  # its loop tells whether it moves

    def with_prefix(self, prefix: str) -> LoopMotor:
        return replace(self, name=prefix + self.name, loop=prefix + self.loop)

    def acts_on(self, robot: Robot) -> bool:
        return any(loop.name == self.loop for loop in robot.loops)
