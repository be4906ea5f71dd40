"""The spheres that stand for a robot where it must not touch anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.robot import Robot
from screwgraph.motion.planning.collision.shapes.base import validate_positive, validate_triple


@dataclass(frozen=True)
class BodySphere:
    """A sphere of a radius on a link or frame, its centre (m) in coordinates of that."""

    link: str
    centre: Any = (0.0, 0.0, 0.0)
    radius: float = 0.0

    def __post_init__(self) -> None:
        validate_triple(f"the centre of a sphere on {self.link!r}", self.centre)
        validate_positive(f"the radius of a sphere on {self.link!r}", self.radius)


@dataclass(frozen=True, eq=False)
class Spheres:
    """Spheres on a robot's links: `numbers` (n, 4) are centre and radius, in the frame of the link of each."""

    __repr__ = one_line

    links: tuple[str, ...]
    numbers: Float[np.ndarray, "n 4"]

    def __len__(self) -> int:
        return len(self.links)


def place_spheres(robot: Robot, spheres: Sequence[BodySphere]) -> Spheres:
    """Return spheres in the frames of links.

    Raises:
        InputError: there are none, one is on no link or frame of the robot, or is none.
    """
    if not spheres:
        raise InputError("the robot has no collision spheres", fix="give some: link, centre, radius")
    links, rows = [], []
    for sphere in spheres:
        if not isinstance(sphere, BodySphere):
            raise InputError(f"expected a sphere of the robot, got {sphere!r}", fix="give link, centre, radius")
        frame = robot.frame(sphere.link)
        centre = frame.T_lf[:3, :3] @ np.asarray(sphere.centre, dtype=float) + frame.T_lf[:3, 3]
        links.append(frame.link)
        rows.append([*centre, sphere.radius])
    return Spheres(tuple(links), np.array(rows))
