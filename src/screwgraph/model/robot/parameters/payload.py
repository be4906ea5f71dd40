"""A body that is not in the file, at a frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parameters.base import with_link
from screwgraph.model.robot.parameters.inertia import random_body
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array, SpatialInertia, inertia


class Payload:
    """The inertia of a body at a link or frame, in its axes, beside what is there: ten numbers, zero by default."""

    of = "frame"
    why = "it is on the base, which does not move"

    def parts(self, robot: Robot) -> Iterable[str]:
        base = robot.links[0].name
        return [name for name in frame_names(robot) if robot.frame(name).link != base]

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return inertia.PARAMETERS

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, "10"]:
        return np.zeros(10)

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, "10"]:
        return random_body(abs(robot.link(robot.frame(part).link).inertia.mass) or 1.0, rng)

    def assign_values(self, robot: Robot, part: str, values: Float[Array, "10"]) -> Robot:
        frame = robot.frame(part)
        link = robot.link(frame.link)
        body = SpatialInertia.of_parameters(values).moved(frame.T_lf)
        return with_link(robot, replace(link, inertia=link.inertia + body))


def frame_names(robot: Robot) -> list[str]:
    """Return the names of all frames and links."""
    return list(dict.fromkeys([*(f.name for f in robot.frames), *(link.name for link in robot.links)]))
