"""Fields without expressions, in templates: their Taylor polynomials at the robot's spheres, made anew each time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.planning.collision.fields.distance_grid import DistanceGrid
from screwgraph.optimize import Factors
from screwgraph.optimize.batch import Batch


@dataclass(frozen=True, eq=False)
class FieldTaylor:
    """Values and derivatives of fields at points, x y z one after the other, that factors compute of the unknowns."""

    fields: tuple[DistanceGrid, ...]
    points: Factors

    @property
    def shape(self) -> tuple[int, int]:
        """Of the parameter `field` of one factor."""
        return (len(self.fields) * self.points.rows // 3, 13)

    def __call__(self, *unknowns: np.ndarray) -> dict[str, np.ndarray]:
        """Return the parameter `field`: the numbers of `collision.taylor`, sphere after sphere of field after field."""
        found = self.points.kernels.residual(*unknowns, *Batch(self.points, ()).parameters)
        points = found.reshape(-1, 3)
        parts = [_numbers(points, field).reshape(len(found), -1, 13) for field in self.fields]
        return {"field": np.concatenate(parts, axis=1)}


def _numbers(points: Any, field: DistanceGrid) -> np.ndarray:
    d, g, H = field.taylor(points)
    bent = np.stack([H[:, 0, 0], H[:, 1, 1], H[:, 2, 2], H[:, 0, 1], H[:, 0, 2], H[:, 1, 2]], axis=1)
    return np.concatenate([points, d[:, None], g, bent], axis=1)
