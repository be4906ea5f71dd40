"""Gravity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array

STANDARD = 9.81
"""Size (m/s^2) of gravity where random values are wanted, in any direction."""


class Gravity:
    """The acceleration of gravity (m/s^2) in the base's frame: three numbers of the robot as a whole."""

    of = "robot"
    why = "it is the same everywhere"

    def parts(self, robot: Robot) -> Iterable[str]:
        """Return one name for the whole robot: that of the base."""
        return [robot.links[0].name]

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return ("x", "y", "z")

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, "3"]:
        return np.array(robot.gravity, dtype=float)

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, "3"]:
        return STANDARD * rng.standard_normal(3)

    def assign_values(self, robot: Robot, part: str, values: Float[Array, "3"]) -> Robot:
        return replace(robot, gravity=(values[0], values[1], values[2]))
