"""Obstacles of plans as bodies and surfaces: one line for each kind of shape in `VISUALS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model import robot as shapes
from screwgraph.motion.planning import collision
from screwgraph.motion.planning.collision import DistanceGrid
from screwgraph.spatial import from_xyz_rpy, transform
from screwgraph.ui.view.primitive_parts import link_between, rotation_along
from screwgraph.ui.view.scene import Body, Surface
from screwgraph.ui.view.surface_nets import extract_zero_surface

COLOUR = "#a3635d"
CELLS = 32
"""Cells along the longest side of a table of distances, at most: a page has room for so many triangles."""
PLATE = 0.01
"""Thickness of what is drawn of a half-space, as a share of its width."""


def make_obstacle_bodies(obstacles: Sequence[Any], width: float) -> tuple[tuple[Body, ...], tuple[Surface, ...]]:
    """Return shapes as bodies, and tables of distances as surfaces; half-spaces are plates of a width (m)."""
    bodies, surfaces = [], []
    for number, obstacle in enumerate(obstacles, start=1):
        if isinstance(obstacle, DistanceGrid):
            surfaces.append(Surface(f"obstacle {number}", extract_grid_surface(obstacle), COLOUR))
        else:
            bodies.append(Body(f"obstacle {number}", visuals=(VISUALS[obstacle.kind](obstacle, width),)))
    return tuple(bodies), tuple(surfaces)


def extract_grid_surface(grid: DistanceGrid) -> Float[np.ndarray, "T 3 3"]:
    """Return triangles of the surface that a table of distances is about."""
    size = np.array(grid.values.shape) - 1
    counts = np.minimum(size, np.maximum(np.ceil(CELLS * size / size.max()), 1)).astype(int)
    origin, spacing = np.asarray(grid.origin, dtype=float), np.asarray(grid.spacing, dtype=float) * size / counts
    places = np.stack(np.meshgrid(*(np.arange(n + 1.0) for n in counts), indexing="ij"), axis=-1)
    d = grid.taylor((origin + spacing * places).reshape(-1, 3))[0].reshape(counts + 1)
    return extract_zero_surface(d, origin, np.broadcast_to(spacing, 3))


def _make_pose(centre: Any, rpy: Any = (0.0, 0.0, 0.0)) -> Float[np.ndarray, "4 4"]:
    return np.asarray(from_xyz_rpy(np.asarray(centre, dtype=float), np.asarray(rpy, dtype=float)), dtype=float)


def _plate(s: collision.HalfSpace, width: float) -> shapes.Visual:
    """Return a plate whose upper face lies in the plane, next to the origin."""
    *n, height = s.numbers()
    normal, thick = np.array(n), PLATE * width
    T = transform(rotation_along(normal), (height - 0.5 * thick) * normal)
    return shapes.Visual(shapes.Box((width, width, thick)), T, COLOUR)


VISUALS: dict[str, Callable[[Any, float], shapes.Visual]] = {
    "sphere": lambda s, width: shapes.Visual(shapes.Sphere(s.radius), _make_pose(s.centre), COLOUR),
    "box": lambda s, width: shapes.Visual(shapes.Box(tuple(s.size)), _make_pose(s.centre, s.rpy), COLOUR),
    "cylinder": lambda s, width: shapes.Visual(
        shapes.Cylinder(s.radius, s.length), _make_pose(s.centre, s.rpy), COLOUR
    ),
    "capsule": lambda s, width: link_between(np.asarray(s.start), np.asarray(s.end), s.radius, COLOUR),
    "half_space": _plate,
}
"""What is drawn of a shape, by kind."""
