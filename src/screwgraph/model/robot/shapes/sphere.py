"""A sphere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from screwgraph.model.robot.shapes.base import Ball, Primitive, Segment, segment_on_axis


@dataclass(frozen=True)
class Sphere:
    """A sphere of a radius (m) about its own frame's origin."""

    word: ClassVar[str] = "sphere"
    about: ClassVar[str] = "radius of a sphere"
    settings: ClassVar[Mapping[str, int]] = {"radius": 1}
    may_vanish: ClassVar[frozenset[str]] = frozenset()

    radius: float

    @property
    def reach(self) -> float:
        """Its radius (m)."""
        return float(self.radius)

    def primitives(self) -> tuple[Primitive, ...]:
        """Return the sphere itself."""
        return (Primitive("sphere", (self.radius, self.radius, self.radius)),)

    def contact_balls(self) -> tuple[Ball, ...]:
        """Return the sphere itself."""
        return (Ball(np.zeros(3), self.radius),)

    def covering_balls(self) -> tuple[Ball, ...]:
        """Return the sphere itself."""
        return self.contact_balls()

    def covering_capsule(self) -> Segment:
        """Return the sphere, a capsule without length."""
        return segment_on_axis(2, 0.0, self.radius)
