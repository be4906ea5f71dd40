"""Spheres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning.collision.shapes.base import TINY, length, validate_positive, validate_triple
from screwgraph.motion.planning.collision.shapes.segment_distance import squared_segment_distance
from screwgraph.spatial import Array, sqrt


@dataclass(frozen=True)
class Sphere:
    """A sphere of a radius about a centre (m)."""

    centre: Any
    radius: float
    kind: ClassVar[str] = "sphere"

    def __post_init__(self) -> None:
        validate_triple("a sphere's centre", self.centre)
        validate_positive("a sphere's radius", self.radius)

    def numbers(self) -> Float[np.ndarray, "4"]:
        """Return centre and radius."""
        return np.array([*self.centre, self.radius], dtype=float)

    @staticmethod
    def distance(point: Array, numbers: Array) -> Any:
        """Return how far a point is from the surface (m), negative within."""
        return length(*(point[i] - numbers[i] for i in range(3))) - numbers[3]

    @staticmethod
    def to_segment(start: Array, way: Array, numbers: Array) -> Any:
        """Return the least distance of a segment's points (m): that from the centre."""
        return sqrt(squared_segment_distance(start, way, numbers[:3], (0.0, 0.0, 0.0)) + TINY) - numbers[3]
