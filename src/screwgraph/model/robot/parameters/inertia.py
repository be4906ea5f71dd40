"""The ten inertial parameters of a link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parameters.base import with_link
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array, SpatialInertia, inertia

SIZE = 0.2
"""Size (m) of bodies that are added where random inertias are wanted, in the place of a robot's own."""


class Inertia:
    """The inertia of a link in its own frame: ten numbers in the order of `SpatialInertia.parameters`."""

    of = "link"
    why = "it is the base, which does not move"

    def parts(self, robot: Robot) -> Iterable[str]:
        """Return all links but the base, which does not move."""
        return [link.name for link in robot.links[1:]]

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return inertia.PARAMETERS

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, "10"]:
        return robot.link(part).inertia.parameters

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, "10"]:
        """Return the link's own inertia and a random body's: it is a rigid body's."""
        mass = robot.link(part).inertia.mass
        return self.nominal(robot, part) + random_body(abs(mass) or 1.0, rng)

    def assign_values(self, robot: Robot, part: str, values: Float[Array, "10"]) -> Robot:
        return with_link(robot, replace(robot.link(part), inertia=SpatialInertia.of_parameters(values)))


def random_body(mass: float, rng: np.random.Generator) -> Float[np.ndarray, "10"]:
    """Return the inertial parameters of a random rigid body of up to some mass (kg)."""
    m = rng.uniform(0.2, 1.0) * mass
    points = SIZE * rng.standard_normal((4, 3))  # four particles make a body without any symmetry
    about = 0.25 * m * (np.eye(3) * (points * points).sum() - points.T @ points)
    return SpatialInertia(m, m * points.mean(axis=0), about).parameters
