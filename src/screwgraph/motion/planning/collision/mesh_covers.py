"""Spheres and capsules that cover meshes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats import hull, outline, triangles
from screwgraph.model.robot.shapes import Ball, Mesh, Segment

MOST = 8
"""Spheres of a mesh, at most."""
ROUND = 1.5
"""A piece is not cut where it is at most so many times as long as it is wide."""
STEPS = 200
"""Of the search for the smallest ball; the radius is then too large by less than a hundredth."""


def cover_by_spheres(mesh: Mesh) -> list[Ball]:
    """Return balls, centre and radius (m), that cover all triangles of a mesh, and what is between them.

    Pieces are cut across their longest extent, the largest first, while they are long. Raises ModelError as
    `triangles`.
    """
    corners, faces = triangles(mesh)
    pieces = [_Piece(corners[faces])]
    while len(pieces) < MOST and any(piece.is_long for piece in pieces):
        largest = max((piece for piece in pieces if piece.is_long), key=lambda piece: piece.length)
        pieces.remove(largest)
        pieces += [_Piece(half) for half in largest.halves() if len(half)]
    return [smallest_ball(piece.outline) for piece in pieces]


def cover_by_capsule(mesh: Mesh) -> Segment:
    """Return a small capsule, ends and radius (m), that covers a mesh. Raises ModelError as `triangles`."""
    corners = hull(mesh)
    return min((_capsule(corners, axis) for axis in _axes(corners)), key=_volume)


def smallest_ball(points: Float[np.ndarray, "n d"]) -> Ball:
    """Return about the smallest ball that has all points in it: Badoiu & Clarkson (2003)."""
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    for k in range(1, STEPS):
        farthest = points[np.argmax(((points - centre) ** 2).sum(axis=1))]
        centre = centre + (farthest - centre) / (k + 1)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    radii = [float(np.sqrt(((points - c) ** 2).sum(axis=1).max())) for c in (centre, middle)]
    best = int(np.argmin(radii))
    return Ball((centre, middle)[best], radii[best] * (1.0 + 1e-12))


def _axes(points: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "k 3"]:
    """Return directions that a long body may have: its own axes, and its frame's."""
    principal = np.linalg.eigh(np.cov(points.T))[1].T if len(points) > 3 else np.eye(3)
    return np.concatenate([principal, np.eye(3)])


def _capsule(points: Float[np.ndarray, "n 3"], axis: Float[np.ndarray, "3"]) -> Segment:
    """Return the capsule along an axis about the narrowest cylinder that has all points in it."""
    across = np.linalg.svd(axis[None])[2][1:]
    centre, radius = smallest_ball(points @ across.T)
    along, aside = points @ axis, ((points @ across.T - centre) ** 2).sum(axis=1)
    reach = np.sqrt(np.maximum(radius**2 - aside, 0.0))
    low, high = float((along + reach).min()), float((along - reach).max())
    if low > high:
        low = high = 0.5 * (low + high)
        radius = float(np.sqrt((aside + (along - low) ** 2).max()))
    start = across.T @ centre
    return Segment(start + low * axis, start + high * axis, radius)


def _volume(capsule: Segment) -> float:
    a, b, r = capsule
    return np.pi * r * r * (float(np.linalg.norm(b - a)) + 4.0 / 3.0 * r)


class _Piece:
    """Triangles, their outline, and how long that is."""

    def __init__(self, corners: Float[np.ndarray, "t 3 3"]) -> None:
        self.corners, self.outline = corners, outline(corners.reshape(-1, 3))
        axes = _axes(self.outline)[:3]
        heights = self.outline @ axes.T
        extents = np.ptp(heights, axis=0)
        longest = int(extents.argmax())
        self.axis, self.length = axes[longest], float(extents[longest])
        self.middle = 0.5 * float(heights[:, longest].min() + heights[:, longest].max())
        small, second, _ = np.sort(extents)
        width = max(float(small), 0.5 * float(second))  # of plates, half their second extent
        self.is_long = self.length > ROUND * width

    def halves(self) -> tuple[Float[np.ndarray, "t 3 3"], Float[np.ndarray, "t 3 3"]]:
        """Return the triangles on both sides of the middle."""
        return _below(self.corners, self.axis, self.middle), _below(self.corners, -self.axis, -self.middle)


def _below(
    piece: Float[np.ndarray, "t 3 3"], axis: Float[np.ndarray, "3"], height: float
) -> Float[np.ndarray, "t 3 3"]:
    """Return the part of triangles below a height along an axis; corners beyond it move along edges onto the plane."""
    over = piece @ axis - height
    crossing = (over > 0.0).any(axis=1) & (over <= 0.0).any(axis=1)
    cut = [part for i in np.flatnonzero(crossing) for part in _clip_triangle(piece[i], over[i])]
    return np.concatenate([piece[(over <= 0.0).all(axis=1)], np.array(cut).reshape(-1, 3, 3)])


def _clip_triangle(
    triangle: Float[np.ndarray, "3 3"], over: Float[np.ndarray, "3"]
) -> Iterator[Float[np.ndarray, "3 3"]]:
    """Return the triangles of the part of one that is not over a plane."""
    kept = []
    for i in range(3):
        j = (i + 1) % 3
        if over[i] <= 0.0:
            kept.append(triangle[i])
        if (over[i] <= 0.0) != (over[j] <= 0.0):
            kept.append(triangle[i] + (triangle[j] - triangle[i]) * (over[i] / (over[i] - over[j])))
    for k in range(1, len(kept) - 1):
        yield np.array([kept[0], kept[k], kept[k + 1]])
