"""Distances from triangles."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


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
