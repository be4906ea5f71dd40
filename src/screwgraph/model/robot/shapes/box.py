"""A box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np

from screwgraph.model.robot.shapes.base import Ball, Primitive, Segment, count_pieces, middles, segment_on_axis


@dataclass(frozen=True)
class Box:
    """A box of so many metres along each axis, about its own frame's origin."""

    word: ClassVar[str] = "box"
    about: ClassVar[str] = "edges of a box"
    settings: ClassVar[Mapping[str, int]] = {"size": 3}
    may_vanish: ClassVar[frozenset[str]] = frozenset()

    size: tuple[float, float, float]

    @property
    def reach(self) -> float:
        """Half the diagonal (m)."""
        return 0.5 * float(np.linalg.norm(self.size))

    def primitives(self) -> tuple[Primitive, ...]:
        """Return the box itself."""
        return (Primitive("box", self.size),)

    def contact_balls(self) -> tuple[Ball, ...]:
        """Return its corners."""
        return tuple(Ball(np.array(signs) * self.size, 0.0) for signs in product((-0.5, 0.5), repeat=3))

    def covering_balls(self) -> tuple[Ball, ...]:
        """Return balls about the pieces of a grid whose pieces are about as long as the box is thin."""
        size = np.asarray(self.size, dtype=float)
        counts = [count_pieces(s, float(size.min())) for s in size]
        axes = [middles(n, s) for n, s in zip(counts, size, strict=True)]
        radius = float(0.5 * np.linalg.norm(size / counts))
        return tuple(Ball(np.array(centre), radius) for centre in product(*axes))

    def covering_capsule(self) -> Segment:
        """Return a capsule along its longest axis, about the diagonal of what is across."""
        half = 0.5 * np.asarray(self.size, dtype=float)
        axis = int(half.argmax())
        return segment_on_axis(axis, float(half[axis]), float(np.linalg.norm(np.delete(half, axis))))
