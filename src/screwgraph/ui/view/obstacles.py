"""Obstacles of plans as bodies and surfaces: one line for each kind of shape in `VISUALS`."""

from __future__ import annotations

import itertools
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


# The surface of a field of distances, as triangles: one vertex in each cell that it passes, one square for each edge.
#
# The naive surface nets of Gibson (1998).

CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))
EDGES = [(a, b) for a, b in itertools.combinations(range(8), 2) if np.abs(CORNERS[a] - CORNERS[b]).sum() == 1]


def extract_zero_surface(
    values: Float[np.ndarray, "nx ny nz"], origin: Float[np.ndarray, "3"], spacing: Float[np.ndarray, "3"]
) -> Float[np.ndarray, "T 3 3"]:
    """Return triangles of the surface on which values (at the points of a grid, m) vanish; none where it is empty."""
    inside = np.asarray(values) < 0.0
    nodes = [tuple(slice(c, n - 1 + c) for c, n in zip(corner, inside.shape, strict=True)) for corner in CORNERS]
    around = np.stack([inside[node] for node in nodes])
    passed = around.any(axis=0) & ~around.all(axis=0)
    cells = np.argwhere(passed)
    if not len(cells):
        return np.zeros((0, 3, 3))
    number = np.full(passed.shape, -1)
    number[passed] = np.arange(len(cells))
    vertices = origin + spacing * (cells + _middles(np.stack([np.asarray(values)[node][passed] for node in nodes])))
    squares = np.concatenate([_squares(inside, number, axis) for axis in range(3)])
    return vertices[np.concatenate([squares[:, [0, 1, 2]], squares[:, [0, 2, 3]]])]


def _middles(d: Float[np.ndarray, "8 n"]) -> Float[np.ndarray, "n 3"]:
    """Return the mean of where the edges of each cell are cut, in the cell."""
    total, count = np.zeros((d.shape[1], 3)), np.zeros(d.shape[1])
    for a, b in EDGES:
        cut = (d[a] < 0.0) != (d[b] < 0.0)
        share = d[a][cut] / (d[a][cut] - d[b][cut])
        total[cut] += CORNERS[a] + share[:, None] * (CORNERS[b] - CORNERS[a])
        count += cut
    return total / count[:, None]


def _squares(inside: np.ndarray, number: np.ndarray, axis: int) -> np.ndarray:
    """Return the four cells about each edge along an axis that the surface cuts, within the grid. (n, 4)"""
    first, second = (np.moveaxis(x, axis, 0) for x in (inside, number))
    cut = (first[1:] != first[:-1])[:, 1:-1, 1:-1]
    i, j, k = np.nonzero(cut)
    return np.stack([second[i, j, k], second[i, j + 1, k], second[i, j + 1, k + 1], second[i, j, k + 1]], axis=1)
