"""Where the frames of a joint that closes a loop stand on the links that it joins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parameters.base import perturb_numbers
from screwgraph.model.robot.parameters.origin import LABELS, origin_numbers, origin_transform
from screwgraph.model.robot.parts import Loop
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array


@dataclass(frozen=True)
class LoopEnd:
    """URDF's origin of a loop's frame on its predecessor or successor: x, y, z (m), roll, pitch, yaw (rad)."""

    side: Literal["T_pf", "T_sf"]
    of = "loop"
    why = "only loops have ends"

    def parts(self, robot: Robot) -> Iterable[str]:
        return [loop.name for loop in robot.loops]

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return LABELS

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, "6"]:
        return origin_numbers(getattr(_loop(robot, part), self.side))

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, "6"]:
        return perturb_numbers(self.nominal(robot, part), rng)

    def assign_values(self, robot: Robot, part: str, values: Float[Array, "6"]) -> Robot:
        changed = replace(_loop(robot, part), **{self.side: origin_transform(values)})
        return replace(robot, loops=tuple(changed if loop.name == part else loop for loop in robot.loops))


def _loop(robot: Robot, name: str) -> Loop:
    return next(loop for loop in robot.loops if loop.name == name)
