"""Another body that a contact's point or ball touches: how far its surface is, and which way that faces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.model.robot.shapes import Box, Capsule, Sphere
from screwgraph.spatial import Array, choose, maximum, minimum, sqrt

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


@dataclass(frozen=True)
class OtherBody:
    """A shape about the origin of another link or frame, which a contact's point or ball touches.

    Args:
        frame: the link or frame that carries it.
        shape: a sphere, a capsule along z, or a box, of `screwgraph.model.robot`.
        at: the shape's origin in the frame (m).
    """

    frame: str
    shape: Sphere | Capsule | Box
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_fields(self)
        sizes = np.concatenate([np.ravel(x) for x in vars(self.shape).values()])
        if not np.isfinite(sizes).all() or (sizes <= 0.0).any():
            raise InputError(f"the shape of {self.frame!r} is {self.shape!r}", why="its sizes must be positive")
        if np.shape(self.at) != (3,) or not np.isfinite(np.asarray(self.at, dtype=float)).all():
            raise InputError(f"the place of the shape of {self.frame!r} is {self.at!r}", why="it is three numbers (m)")

    def distance(self, p: Float[Array, "3"], seen_from: Float[Array, "3"]) -> Distance:
        """Return how far a point (m) of the frame is from the surface, negative within, and the normal there.

        `seen_from` is the origin of the body that has the point.
        """
        own = ([x - a for x, a in zip(point, self.at, strict=True)] for point in (p, seen_from))
        return SHAPES[type(self.shape)](self.shape, *own)
