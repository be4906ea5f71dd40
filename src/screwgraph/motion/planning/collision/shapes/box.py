"""Boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning.collision.shapes.base import pose_numbers, to_local, validate_positive, validate_triple
from screwgraph.motion.planning.collision.shapes.box_distance import box_surface_distance
from screwgraph.motion.planning.collision.shapes.segment_distance import minimise_along
from screwgraph.spatial import Array, vector


@dataclass(frozen=True)
class Box:
    """A box of so many metres along its own axes, about a centre (m), turned by roll, pitch, yaw (rad)."""

    centre: Any
    size: Any
    rpy: Any = (0.0, 0.0, 0.0)
    kind: ClassVar[str] = "box"

    def __post_init__(self) -> None:
        validate_triple("a box's centre", self.centre)
        validate_triple("a box's rpy", self.rpy)
        for length in validate_triple("a box's size", self.size):
            validate_positive("an edge of a box", length)

    def numbers(self) -> Float[np.ndarray, "15"]:
        """Return the pose and half the edges."""
        return np.concatenate([pose_numbers(self.centre, self.rpy), 0.5 * np.asarray(self.size, dtype=float)])

    @staticmethod
    def distance(point: Array, numbers: Array) -> Any:
        """Return how far a point is from the surface (m), negative within."""
        own = to_local(point, numbers)
        return box_surface_distance([abs(own[i]) - numbers[12 + i] for i in range(3)])

    @staticmethod
    def to_segment(start: Array, way: Array, numbers: Array) -> Any:
        """Return the least distance of a segment's points (m), to 1e-8 of its length: searched for, as it is convex."""
        return minimise_along(lambda point: Box.distance(vector(point), numbers), start, way)
