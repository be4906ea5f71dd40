"""Cylinders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning.collision.shapes.base import (
    length,
    pose_numbers,
    to_local,
    validate_positive,
    validate_triple,
)
from screwgraph.motion.planning.collision.shapes.box_distance import box_surface_distance
from screwgraph.motion.planning.collision.shapes.segment_distance import minimise_along
from screwgraph.spatial import Array, vector


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along its own z, `length` (m) from face to face, about a centre, turned by roll, pitch, yaw (rad)."""

    centre: Any
    radius: float
    length: float
    rpy: Any = (0.0, 0.0, 0.0)
    kind: ClassVar[str] = "cylinder"

    def __post_init__(self) -> None:
        validate_triple("a cylinder's centre", self.centre)
        validate_triple("a cylinder's rpy", self.rpy)
        validate_positive("a cylinder's radius", self.radius)
        validate_positive("a cylinder's length", self.length)

    def numbers(self) -> Float[np.ndarray, "14"]:
        """Return the pose, the radius, half the length."""
        return np.concatenate([pose_numbers(self.centre, self.rpy), [self.radius, 0.5 * self.length]])

    @staticmethod
    def distance(point: Array, numbers: Array) -> Any:
        """Return how far a point is from the surface (m), negative within."""
        x, y, z = to_local(point, numbers)
        return box_surface_distance([length(x, y) - numbers[12], abs(z) - numbers[13]])

    @staticmethod
    def to_segment(start: Array, way: Array, numbers: Array) -> Any:
        """Return the least distance of a segment's points (m), to 1e-8 of its length: searched for, as it is convex."""
        return minimise_along(lambda point: Cylinder.distance(vector(point), numbers), start, way)
