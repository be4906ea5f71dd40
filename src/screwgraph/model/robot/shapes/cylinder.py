"""A cylinder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np

from screwgraph.model.robot.shapes.base import (
    Ball,
    Primitive,
    Segment,
    count_pieces,
    middles,
    points_on_axis,
    segment_on_axis,
)

RIM = 8
"""Points on each rim that touch the ground."""


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along its own z, `length` (m) from face to face, about its own frame's origin."""

    word: ClassVar[str] = "cylinder"
    about: ClassVar[str] = "cylinder along z"
    settings: ClassVar[Mapping[str, int]] = {"radius": 1, "length": 1}
    may_vanish: ClassVar[frozenset[str]] = frozenset()

    radius: float
    length: float

    @property
    def reach(self) -> float:
        """The distance (m) of its rims."""
        return float(np.hypot(self.radius, 0.5 * self.length))

    def primitives(self) -> tuple[Primitive, ...]:
        """Return the cylinder itself."""
        return (Primitive("cylinder", (self.radius, self.radius, self.length)),)

    def contact_balls(self) -> tuple[Ball, ...]:
        """Return points of its rims."""
        angles = 2.0 * np.pi * np.arange(RIM) / RIM
        return tuple(
            Ball(np.array([self.radius * np.cos(a), self.radius * np.sin(a), side * self.length]), 0.0)
            for side, a in product((-0.5, 0.5), angles)
        )

    def covering_balls(self) -> tuple[Ball, ...]:
        """Return balls about pieces of its length."""
        n = count_pieces(self.length, self.radius)
        radius = float(np.hypot(self.radius, 0.5 * self.length / n))
        return tuple(Ball(p, radius) for p in points_on_axis(2, middles(n, self.length)))

    def covering_capsule(self) -> Segment:
        """Return the cylinder with half a sphere on either face."""
        return segment_on_axis(2, 0.5 * self.length, self.radius)
