"""The surface of a field of distances, as triangles: one vertex in each cell that it passes, one square for each edge.

The naive surface nets of Gibson (1998).
"""

from __future__ import annotations

import itertools

import numpy as np
from jaxtyping import Float

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
