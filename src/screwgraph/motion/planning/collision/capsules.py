"""Capsules and spheres that stand for a robot in distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.robot import Mesh, Robot
from screwgraph.motion.planning.collision.automatic_spheres import SPHERES, automatic_spheres, collision_shapes
from screwgraph.motion.planning.collision.mesh_covers import cover_by_capsule
from screwgraph.motion.planning.collision.shapes.base import validate_positive, validate_triple
from screwgraph.motion.planning.collision.spheres import BodySphere

CAPSULES = "capsules"
"""Instead of a list of shapes: one capsule about each of the robot's file."""


@dataclass(frozen=True)
class BodyCapsule:
    """All that is within a radius of the way between two points (m) of a link or frame, in coordinates of that."""

    link: str
    start: Any
    end: Any
    radius: float

    def __post_init__(self) -> None:
        validate_triple(f"the start of a capsule on {self.link!r}", self.start)
        validate_triple(f"the end of a capsule on {self.link!r}", self.end)
        validate_positive(f"the radius of a capsule on {self.link!r}", self.radius)


@dataclass(frozen=True, eq=False)
class Capsules:
    """Capsules on a robot's links: `numbers` (n, 7) are start, way to the end (0: sphere), radius, in links' frames."""

    __repr__ = one_line

    links: tuple[str, ...]
    numbers: Float[np.ndarray, "n 7"]

    def __len__(self) -> int:
        return len(self.links)


def placed_capsules(robot: Robot, shapes: Sequence[BodySphere | BodyCapsule] | str) -> Capsules:
    """Return given spheres and capsules, or those of the robot's file, in the frames of links. Raises InputError."""
    if isinstance(shapes, str):
        if shapes not in (CAPSULES, SPHERES):
            fix = f"a list of spheres and capsules, {CAPSULES!r} or {SPHERES!r}"
            raise InputError(f"shapes: expected shapes of the robot, got {shapes!r}", fix=fix)
        shapes = automatic_capsules(robot) if shapes == CAPSULES else automatic_spheres(robot)
    shapes = list(shapes)
    if not shapes:
        raise InputError("the robot has no collision shapes", fix="give some: BodySphere, BodyCapsule")
    links, rows = [], []
    for shape in shapes:
        if not isinstance(shape, BodySphere | BodyCapsule):
            raise InputError(f"expected a sphere or capsule of the robot, got {shape!r}", fix="BodySphere, BodyCapsule")
        frame = robot.frame(shape.link)
        ends = (shape.centre, shape.centre) if isinstance(shape, BodySphere) else (shape.start, shape.end)
        a, b = (frame.T_lf[:3, :3] @ np.asarray(p, dtype=float) + frame.T_lf[:3, 3] for p in ends)
        links.append(frame.link)
        rows.append([*a, *(b - a), shape.radius])
    return Capsules(tuple(links), np.array(rows))


def automatic_capsules(robot: Robot) -> tuple[BodyCapsule, ...]:
    """Return a capsule about each collision shape of all links that move; it has all of the shape in it.

    Raises:
        InputError: a link that moves and has a mass has no shape, or only meshes that cannot be read.
    """
    found = []
    for link, visual in collision_shapes(robot):
        shape, T = visual.shape, visual.T_bs
        a, b, radius = cover_by_capsule(shape) if isinstance(shape, Mesh) else shape.covering_capsule()
        start, end = (T[:3, :3] @ p + T[:3, 3] for p in (a, b))
        found.append(BodyCapsule(link, tuple(start.tolist()), tuple(end.tolist()), float(radius)))
    return tuple(found)
