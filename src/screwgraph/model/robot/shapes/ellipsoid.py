"""An ellipsoid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np

from screwgraph.model.robot.shapes.base import Ball, Primitive, Segment, count_pieces, segment_on_axis


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid of three radii (m) about its own frame's origin."""

    word: ClassVar[str] = "ellipsoid"
    about: ClassVar[str] = "half axes of an ellipsoid"
    settings: ClassVar[Mapping[str, int]] = {"radii": 3}
    may_vanish: ClassVar[frozenset[str]] = frozenset()

    radii: tuple[float, float, float]

    @property
    def reach(self) -> float:
        """Its largest radius (m)."""
        return float(max(self.radii))

    def primitives(self) -> tuple[Primitive, ...]:
        """Return a stretched sphere."""
        return (Primitive("sphere", self.radii),)

    def contact_balls(self) -> tuple[Ball, ...]:
        """Return its farthest points along its axes and the diagonals between."""
        found = []
        for signs in (s for s in product((-1.0, 0.0, 1.0), repeat=3) if any(s)):
            squares = np.array(self.radii) ** 2 * signs
            found.append(Ball(squares / np.sqrt(squares @ signs), 0.0))
        return tuple(found)

    def covering_balls(self) -> tuple[Ball, ...]:
        """Return balls along its longest axis, each about a slice."""
        axis, longest, widest = self._proportions()
        n = count_pieces(2.0 * longest, widest)
        return tuple(self._slice(axis, widest, (2.0 * k / n - 1.0) * longest, 2.0 * longest / n) for k in range(n))

    def covering_capsule(self) -> Segment:
        """Return a capsule that touches the ellipsoid at its ends and its waist."""
        axis, longest, widest = self._proportions()
        return segment_on_axis(axis, longest - widest, widest)

    def _proportions(self) -> tuple[int, float, float]:
        """Return the longest axis, its radius, and the larger radius across (m)."""
        axis = int(np.argmax(self.radii))
        return axis, float(self.radii[axis]), float(np.delete(self.radii, axis).max())

    def _slice(self, axis: int, widest: float, low: float, thick: float) -> Ball:
        """Return the ball about a slice that begins at a height `low` (m)."""
        high = low + thick
        nearest = 0.0 if low < 0.0 < high else min(abs(low), abs(high))
        wide = widest * np.sqrt(1.0 - (nearest / self.radii[axis]) ** 2)
        return Ball((low + 0.5 * thick) * np.eye(3)[axis], float(np.hypot(wide, 0.5 * thick)))
