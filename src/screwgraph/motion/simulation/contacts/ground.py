"""The ground: a surface that bodies touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.model.robot.joints.base import perpendicular_axes
from screwgraph.spatial import Array


class Ground(Protocol):
    """A surface that bodies touch; a new one is a class with this method."""

    def touch(self, p: Float[Array, "3"]) -> tuple[Any, Float[Array, "3 3"]]:
        """Return how far a point (m) is above the surface, and the surface's axes there: normal and tangents, rows."""
        ...


@dataclass(frozen=True)
class Plane:
    """The points p of the base's axes with n . p = height (m), where n is the unit vector along `normal`; a slope."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    height: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        try:
            normal = np.asarray(self.normal, dtype=float)
        except (TypeError, ValueError):
            normal = np.zeros(0)
        if normal.shape != (3,) or not np.isfinite(normal).all() or np.linalg.norm(normal) < 1e-9:
            raise InputError(f"the normal of the ground is {self.normal!r}", fix="give a direction, such as (0, 0, 1)")
        if not abs(self.height) < np.inf:
            raise InputError(f"the height of the ground is {self.height!r}", why="it must be finite")
        x, y, z = (normal / np.linalg.norm(normal)).tolist()
        object.__setattr__(self, "normal", (x, y, z))

    def touch(self, p: Float[Array, "3"]) -> tuple[Any, Float[Array, "3 3"]]:
        """Return the distance (m) and the axes."""
        n = np.array(self.normal)
        return n @ p - self.height, np.stack([n, *perpendicular_axes(self.normal)])
