"""The mass of a link; its centre of mass and the rotational inertia about that stay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parameters.base import perturb_numbers, with_link
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array, SpatialInertia, skew


class Mass:
    """The mass (kg) of a link: one number."""

    of = "link"
    why = "only links that move and have mass have a centre of mass"

    def parts(self, robot: Robot) -> Iterable[str]:
        """Return the links that move and have mass, and so a centre of mass."""
        return [link.name for link in robot.links[1:] if link.inertia.mass]

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return ("mass",)

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, "1"]:
        return np.array([robot.link(part).inertia.mass])

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, "1"]:
        return perturb_numbers(self.nominal(robot, part), rng)

    def assign_values(self, robot: Robot, part: str, values: Float[Array, "1"]) -> Robot:
        """Steiner's theorem: what is more of mass is a particle at the centre of mass."""
        link = robot.link(part)
        c, (m,) = link.inertia.com, values
        cX = skew(c)
        made = SpatialInertia(m, m * c, link.inertia.about_com - m * (cX @ cX))
        return with_link(robot, replace(link, inertia=made))


def particle(c: Float[Array, "3"]) -> Float[Array, "10"]:
    """Return the ten numbers of a particle of 1 kg at c (m): those of a link by its mass."""
    x, y, z = c
    about = [y * y + z * z, x * x + z * z, x * x + y * y, -(x * y), -(x * z), -(y * z)]
    return np.array([1.0, x, y, z, *about], dtype=getattr(c, "dtype", float))
