"""A capsule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from screwgraph.model.robot.shapes.base import Ball, Primitive, Segment, count_pieces, points_on_axis, segment_on_axis


@dataclass(frozen=True)
class Capsule:
    """A cylinder of `length` (m) along its own z with half a sphere on either end, about its own frame's origin."""

    word: ClassVar[str] = "capsule"
    about: ClassVar[str] = "capsule along z"
    settings: ClassVar[Mapping[str, int]] = {"radius": 1, "length": 1}
    may_vanish: ClassVar[frozenset[str]] = frozenset({"length"})

    radius: float
    length: float

    @property
    def reach(self) -> float:
        """The distance (m) of its tips."""
        return float(self.radius + 0.5 * self.length)

    def primitives(self) -> tuple[Primitive, ...]:
        """Return a cylinder between two spheres; one sphere where it has no length."""
        ends = tuple(
            Primitive("sphere", (self.radius, self.radius, self.radius), (0.0, 0.0, side * self.length))
            for side in (-0.5, 0.5)
        )
        middle = Primitive("cylinder", (self.radius, self.radius, self.length))
        return (middle, *ends) if self.length else ends[:1]

    def contact_balls(self) -> tuple[Ball, ...]:
        """Return the spheres of its ends."""
        return tuple(Ball(p, self.radius) for p in points_on_axis(2, np.array([-0.5, 0.5]) * self.length))

    def covering_balls(self) -> tuple[Ball, ...]:
        """Return balls about the ends of pieces of its length."""
        n = count_pieces(self.length, self.radius)
        radius = float(np.hypot(self.radius, 0.5 * self.length / n))
        return tuple(Ball(p, radius) for p in points_on_axis(2, np.linspace(-0.5, 0.5, n + 1) * self.length))

    def covering_capsule(self) -> Segment:
        """Return the capsule itself."""
        return segment_on_axis(2, 0.5 * self.length, self.radius)
