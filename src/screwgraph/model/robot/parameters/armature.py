"""Rotor inertia of a joint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parameters.base import (
    label_coordinates,
    list_moving_joints,
    perturb_numbers,
    unwrap_scalar,
    with_joint,
)
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array


class Armature:
    """The rotor inertia of a joint as the joint sees it (kg m^2, kg): a number for each of its coordinates."""

    of = "joint"
    why = "only joints that move have one"

    def parts(self, robot: Robot) -> Iterable[str]:
        return list_moving_joints(robot)

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return label_coordinates("armature", robot.joint(part).type.nv)

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, " nv"]:
        joint = robot.joint(part)
        return joint.armature * np.ones(joint.type.nv)

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, " nv"]:
        return np.abs(perturb_numbers(self.nominal(robot, part), rng))

    def assign_values(self, robot: Robot, part: str, values: Float[Array, " nv"]) -> Robot:
        return with_joint(robot, replace(robot.joint(part), armature=unwrap_scalar(values)))
