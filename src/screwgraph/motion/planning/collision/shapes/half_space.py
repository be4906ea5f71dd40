"""Half-spaces: floors, walls, ceilings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.collision.shapes.base import validate_triple
from screwgraph.spatial import Array, minimum, vector


@dataclass(frozen=True)
class HalfSpace:
    """All that lies behind a plane through a point (m) whose normal points to where the robot may be."""

    point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)
    kind: ClassVar[str] = "half_space"

    def __post_init__(self) -> None:
        validate_triple("a half-space's point", self.point)
        if not np.linalg.norm(validate_triple("a half-space's normal", self.normal)) > 0.0:
            raise InputError("a half-space's normal is zero")

    def numbers(self) -> Float[np.ndarray, "4"]:
        """Return the unit normal, and where along it the plane is."""
        n = np.asarray(self.normal, dtype=float) / np.linalg.norm(self.normal)
        return np.append(n, n @ np.asarray(self.point, dtype=float))

    @staticmethod
    def distance(point: Array, numbers: Array) -> Any:
        """Return how far a point is from the plane (m), negative behind it."""
        return sum(point[i] * numbers[i] for i in range(3)) - numbers[3]

    @staticmethod
    def to_segment(start: Array, way: Array, numbers: Array) -> Any:
        """Return the least distance of a segment's points (m): that of an end."""
        end = [start[i] + way[i] for i in range(3)]
        return minimum(HalfSpace.distance(start, numbers), HalfSpace.distance(vector(end), numbers))
