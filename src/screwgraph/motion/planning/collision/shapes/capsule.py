"""Capsules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning.collision.shapes.base import TINY, length, validate_positive, validate_triple
from screwgraph.motion.planning.collision.shapes.box_distance import clip_negative, maximum_of_two
from screwgraph.motion.planning.collision.shapes.segment_distance import squared_segment_distance
from screwgraph.spatial import Array, sqrt


@dataclass(frozen=True)
class Capsule:
    """All that is within a radius of the way between two points (m)."""

    start: Any
    end: Any
    radius: float
    kind: ClassVar[str] = "capsule"

    def __post_init__(self) -> None:
        validate_triple("a capsule's start", self.start)
        validate_triple("a capsule's end", self.end)
        validate_positive("a capsule's radius", self.radius)

    def numbers(self) -> Float[np.ndarray, "8"]:
        """Return one end, the way to the other, the radius, and one over the way's square (zero for a sphere)."""
        a, b = np.asarray(self.start, dtype=float), np.asarray(self.end, dtype=float)
        square = float((b - a) @ (b - a))
        return np.concatenate([a, b - a, [self.radius, 1.0 / square if square > 0.0 else 0.0]])

    @staticmethod
    def distance(point: Array, numbers: Array) -> Any:
        """Return how far a point is from the surface (m), negative within."""
        d = [point[i] - numbers[i] for i in range(3)]
        along = sum(d[i] * numbers[3 + i] for i in range(3)) * numbers[7]
        part = -maximum_of_two(-clip_negative(along), -1.0)
        return length(*(d[i] - part * numbers[3 + i] for i in range(3))) - numbers[6]

    @staticmethod
    def to_segment(start: Array, way: Array, numbers: Array) -> Any:
        """Return the least distance of a segment's points (m): that between two segments."""
        return sqrt(squared_segment_distance(start, way, numbers[:3], numbers[3:6]) + TINY) - numbers[6]
