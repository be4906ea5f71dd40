"""Ground of given heights, as a grid of distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.collision.fields.distance_grid import DistanceGrid
from screwgraph.motion.planning.collision.fields.triangles import distance_to_triangles

NEIGHBOURS = 8
"""Sampled points of the ground that are looked at near each point of the grid."""


def height_map(
    heights: Float[np.ndarray, "nx ny"],
    origin: Any = (0.0, 0.0),
    spacing: float = 0.05,
    *,
    above: float = 0.5,
    below: float = 0.1,
    cell: float | None = None,
) -> DistanceGrid:
    """Return the distances from ground whose heights (m) are given on a grid; it is made of two triangles a cell.

    Args:
        heights: (nx, ny), along x and y.
        origin: where the first height stands (x, y) (m).
        spacing: between heights (m).
        above: how far (m) the grid of distances reaches beyond the highest height.
        below: likewise, the lowest one.
        cell: spacing (m) of the grid of distances; by default half of that of the heights.

    Raises:
        InputError: the map is empty or not finite, or a number is not positive.
    """
    z = np.asarray(heights)
    if z.ndim != 2 or min(z.shape) < 2 or z.dtype.kind not in "iuf" or not np.isfinite(z).all():
        raise InputError(f"a height map has the shape {z.shape}", fix="give finite (nx, ny), each at least 2")
    cell = 0.5 * spacing if cell is None else cell
    for what, number in (("spacing", spacing), ("reach above", above), ("reach below", below), ("cell", cell)):
        if not 0.0 < number < np.inf:
            raise InputError(f"the {what} of a height map is {number!r}", why="it must be positive")
    z = z.astype(float)
    corner = np.array([*np.asarray(origin, dtype=float), z.min() - below])
    size = [spacing * (z.shape[0] - 1), spacing * (z.shape[1] - 1), z.max() + above - corner[2]]
    counts = [int(np.ceil(s / cell - 1e-9)) + 1 for s in size]
    axes = [corner[i] + cell * np.arange(counts[i]) for i in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    triangles = _triangles(z, corner[:2], spacing)
    distances = distance_to_triangles(points, triangles, cell, NEIGHBOURS)
    under = points[:, 2] < _height(z, (points[:, :2] - corner[:2]) / spacing)
    return DistanceGrid(np.where(under, -distances, distances).reshape(counts), tuple(corner), cell)


def _triangles(z: Float[np.ndarray, "nx ny"], origin: np.ndarray, spacing: float) -> Float[np.ndarray, "T 3 3"]:
    """Return two triangles for each cell, split from its first corner to the opposite one."""
    x, y = (origin[i] + spacing * np.arange(z.shape[i]) for i in range(2))
    p = np.stack([*np.meshgrid(x, y, indexing="ij"), z], axis=-1)
    a, b, c, d = p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]
    parts = [np.stack([a, b, c], axis=-2), np.stack([a, c, d], axis=-2)]
    return np.concatenate([t.reshape(-1, 3, 3) for t in parts])


def _height(z: Float[np.ndarray, "nx ny"], at: Float[np.ndarray, "N 2"]) -> Float[np.ndarray, " N"]:
    """Return the height of the triangles over places counted in cells."""
    at = np.clip(at, 0.0, np.array(z.shape) - 1.0)
    i, j = np.minimum(np.floor(at).astype(np.intp), np.array(z.shape) - 2).T
    s, t = at[:, 0] - i, at[:, 1] - j
    a, b, c, d = z[i, j], z[i + 1, j], z[i + 1, j + 1], z[i, j + 1]
    return np.where(s >= t, a + s * (b - a) + t * (c - b), a + t * (d - a) + s * (c - d))
