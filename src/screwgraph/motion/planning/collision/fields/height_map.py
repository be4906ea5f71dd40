"""Ground of given heights, as a grid of distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.collision.fields.distance_grid import DistanceGrid

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


# Distances from triangles.


def distance_to_triangles(
    points: Float[np.ndarray, "N 3"], triangles: Float[np.ndarray, "T 3 3"], pitch: float, neighbours: int
) -> Float[np.ndarray, " N"]:
    """Return the distance (m) of points from a surface of triangles.

    Triangles are looked for by points on them, at most `pitch` (m) apart; those of so many nearest ones are measured.
    """
    from scipy.spatial import KDTree

    samples, owner = _sample_triangles(triangles, pitch)
    _, near = KDTree(samples).query(points, k=min(neighbours, len(samples)))
    near = owner[near.reshape(len(points), -1)]
    found = np.full(len(points), np.inf)
    for column in near.T:
        found = np.minimum(found, _distance(points, triangles[column]))
    return found


def _sample_triangles(triangles: Float[np.ndarray, "T 3 3"], pitch: float) -> tuple[np.ndarray, np.ndarray]:
    """Return points on triangles, and the triangle of each."""
    edges = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2).max(axis=1)
    pieces = np.maximum(1, np.ceil(edges / pitch)).astype(int)
    points, owners = [], []
    for n in np.unique(pieces):
        which = np.flatnonzero(pieces == n)
        i, j = np.array([(a, b) for a in range(n + 1) for b in range(n + 1 - a)]).T / n
        weights = np.stack([1.0 - i - j, i, j], axis=1)
        points.append(np.einsum("sw,twx->tsx", weights, triangles[which]).reshape(-1, 3))
        owners.append(np.repeat(which, len(weights)))
    return np.concatenate(points), np.concatenate(owners)


def _distance(p: Float[np.ndarray, "N 3"], triangles: Float[np.ndarray, "N 3 3"]) -> Float[np.ndarray, " N"]:
    """Return the distance of each point from its triangle."""
    a, b, c = (triangles[:, i] for i in range(3))
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=1)
    over = size > 0.0
    normal = normal / np.where(over, size, 1.0)[:, None]
    edge = np.minimum(np.minimum(_from_edge(p, a, b), _from_edge(p, b, c)), _from_edge(p, c, a))
    for u, v in ((a, b), (b, c), (c, a)):
        over &= np.einsum("ni,ni->n", np.cross(normal, v - u), p - u) >= 0.0
    return np.where(over, np.abs(np.einsum("ni,ni->n", normal, p - a)), edge)


def _from_edge(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    d = b - a
    square = np.einsum("ni,ni->n", d, d)
    along = np.clip(np.einsum("ni,ni->n", p - a, d) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    return np.linalg.norm(p - a - along[:, None] * d, axis=1)
