"""Viscous damping of a joint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parameters.base import list_moving_joints, perturb_numbers, with_joint
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array


class Damping:
    """The viscous damping of a joint (N m s/rad, N s/m), on each of its coordinates: one number."""

    of = "joint"
    why = "only joints that move have one"

    def parts(self, robot: Robot) -> Iterable[str]:
        return list_moving_joints(robot)

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return ("damping",)

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, "1"]:
        return np.array([robot.joint(part).damping])

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, "1"]:
        return perturb_numbers(self.nominal(robot, part), rng)

    def assign_values(self, robot: Robot, part: str, values: Float[Array, "1"]) -> Robot:
        return with_joint(robot, replace(robot.joint(part), damping=values[0]))
