"""Another body that a contact touches: how far its surface is from a point or ball, and which way that faces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields, describe_value, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot.shapes import SHAPES as SOLIDS
from screwgraph.model.robot.shapes import Box, Capsule, Mesh, Sphere
from screwgraph.spatial import Array, choose, from_xyz_rpy, maximum, minimum, sqrt

Distance = tuple[Any, list[Any]]
"""How far a point is from a surface (m), and the unit normal there."""
TINY = 1e-24
"""Square of a distance (m^2) that has no direction."""


def _from_point(away: Any) -> Distance:
    size = sqrt(maximum(away[0] * away[0] + away[1] * away[1] + away[2] * away[2], TINY))
    return size, [x / size for x in away]


def _from_sphere(shape: Sphere, p: Any, _: Any) -> Distance:
    distance, normal = _from_point(p)
    return distance - shape.radius, normal


def _from_capsule(shape: Capsule, p: Any, _: Any) -> Distance:
    half = 0.5 * shape.length
    distance, normal = _from_point([p[0], p[1], p[2] - maximum(minimum(p[2], half), -half)])
    return distance - shape.radius, normal


def _from_box(shape: Box, p: Any, seen_from: Any) -> Distance:
    """Return the distance from the face that is seen from the other body's origin; beside it, from the nearest point.

    The nearest face of a point within would be the wrong one near edges, where boxes of one size stand on one another.
    """
    half, edge = [0.5 * x for x in shape.size], EDGE * min(shape.size)
    ahead = [abs(x) - h for x, h in zip(seen_from, half, strict=True)]
    most = maximum(maximum(ahead[0], ahead[1]), ahead[2])
    first = choose(ahead[0] < most, 0.0, 1.0)
    second = (1.0 - first) * choose(ahead[1] < most, 0.0, 1.0)
    faces = [first, second, 1.0 - first - second]
    normal = [choose(x < 0.0, -face, face) for x, face in zip(seen_from, faces, strict=True)]
    height = sum(n * x - face * h for n, x, face, h in zip(normal, p, faces, half, strict=True))
    beyond = [abs(x) - h for x, h in zip(p, half, strict=True)]
    beside = [b - FAR * face for b, face in zip(beyond, faces, strict=True)]
    is_over = maximum(maximum(beside[0], beside[1]), beside[2]) < edge
    away = [choose(x < 0.0, -1.0, 1.0) * maximum(b, 0.0) for x, b in zip(p, beyond, strict=True)]
    distance, direction = _from_point(away)
    return choose(is_over, height, distance), [choose(is_over, n, d) for n, d in zip(normal, direction, strict=True)]


EDGE, FAR = 1e-3, 1e3
"""Part of a box's least size by which points beside a face are still over it; a length (m) that no box has."""
SHAPES: dict[type, Callable[[Any, Any, Any], Distance]] = {Sphere: _from_sphere, Capsule: _from_capsule, Box: _from_box}
"""Shapes of other bodies, and the distance of a point in the shape's frame from each."""


COLLISIONS = "collisions"
"""The shapes of a link's file."""


def validate_shape(what: str, shape: Any) -> None:
    """Raise InputError for what is neither a shape of positive sizes nor the word for those of a file."""
    if shape == COLLISIONS if isinstance(shape, str) else isinstance(shape, Mesh):
        return
    if not isinstance(shape, tuple(SOLIDS.values())):
        raise InputError(
            f"{what} is {describe_value(shape)}",
            fix=f"give a shape, such as Box((0.1, 0.1, 0.1)) of screwgraph.model.robot, or {COLLISIONS!r}",
        )
    sizes = {name: validate_numbers(what, x) for name, x in vars(shape).items()}
    positive = [(x >= 0.0 if name in shape.may_vanish else x > 0.0) & np.isfinite(x) for name, x in sizes.items()]
    if not all(is_right.all() for is_right in positive):
        raise InputError(f"{what} is {shape!r}", why="its sizes must be positive")


def validate_place(what: str, given: Any) -> None:
    """Raise InputError for what are not three finite numbers."""
    numbers = validate_numbers(what, given)
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise InputError(f"{what} is {given!r}", why="it is three finite numbers")


@dataclass(frozen=True)
class OtherBody:
    """A shape of another link or frame, which a contact's point, ball or shape touches.

    Args:
        frame: the link or frame that carries it.
        shape: a sphere, a capsule along z, a box or another shape of `screwgraph.model.robot`, or "collisions", those
            of the link in its file.
        at: the shape's origin in the frame (m).
        rpy: roll, pitch, yaw of the shape in the frame (rad).
    """

    frame: str
    shape: Any
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_fields(self)
        validate_shape(f"the shape of {self.frame!r}", self.shape)
        validate_place(f"the place of the shape of {self.frame!r}", self.at)
        validate_place(f"rpy of the shape of {self.frame!r}", self.rpy)

    @property
    def T(self) -> Float[np.ndarray, "4 4"]:
        """The pose of the shape in the frame."""
        return from_xyz_rpy(np.array(self.at, dtype=float), np.array(self.rpy, dtype=float))

    @property
    def knows_distances(self) -> bool:
        """Whether code finds how far a point is from it."""
        return type(self.shape) in SHAPES

    def distance(self, p: Float[Array, "3"], seen_from: Float[Array, "3"]) -> Distance:
        """Return how far a point (m) of the frame is from the surface, negative within, and the normal there.

        `seen_from` is the origin of the body that has the point.
        """
        R = self.T[:3, :3]
        own = ([*(R.T @ (np.array(point) - np.array(self.at)))] for point in (p, seen_from))
        distance, normal = SHAPES[type(self.shape)](self.shape, *own)
        return distance, [*(R @ np.array(normal))]
