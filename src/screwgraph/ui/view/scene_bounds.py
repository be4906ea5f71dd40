"""How far bodies reach."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats import hull
from screwgraph.model.robot import Mesh
from screwgraph.ui.view.primitive_parts import split_into_primitives
from screwgraph.ui.view.scene import Body, Scene


def compute_bounds(body: Body, direction: Float[np.ndarray, "3"]) -> tuple[float, float]:
    """Return between which heights along a unit vector the shapes of a body are, over time (m); infinite for none."""
    low, high = np.inf, -np.inf
    poses = np.asarray(body.poses, dtype=float).reshape(-1, 4, 4)
    for part in (part for visual in body.visuals for part in split_into_primitives(visual)):
        T = poses @ part.T
        if part.is_file:
            over = T[:, :3, 3] @ direction + hull(Mesh(part.mesh, part.scale)) @ (direction @ T[:, :3, :3]).T
            low, high = min(low, float(over.min())), max(high, float(over.max()))
            continue
        height, extent = T[:, :3, 3] @ direction, _half_extent(part.mesh, (direction @ T[:, :3, :3]) * part.scale)
        low, high = min(low, float((height - extent).min())), max(high, float((height + extent).max()))
    return low, high


def compute_extent(scene: Scene) -> tuple[list[float], float]:
    """Return the middle of what moves over time, and the size of its box's diagonal (m)."""
    clouds = [np.asarray(trail.points, dtype=float).reshape(-1, 3) for trail in (*scene.lines, *scene.points)]
    clouds += [np.asarray(surface.triangles, dtype=float).reshape(-1, 3) for surface in scene.surfaces]
    for body in (body for body in scene.bodies if body.visuals):
        clouds.append(np.array([compute_bounds(body, axis) for axis in np.eye(3)]).T)
    points = np.concatenate([cloud[np.isfinite(cloud).all(axis=1)] for cloud in clouds] or [np.zeros((1, 3))])
    if not len(points):
        points = np.zeros((1, 3))
    low, high = points.min(axis=0), points.max(axis=0)
    return ((low + high) / 2.0).tolist(), float(np.linalg.norm(high - low)) or 1.0


def _half_extent(mesh: str, axes: Float[np.ndarray, "N 3"]) -> Float[np.ndarray, " N"]:
    """How far a mesh reaches along a direction, from the components of its stretched axes along that."""
    if mesh == "box":
        return 0.5 * np.abs(axes).sum(axis=1)
    if mesh == "sphere":
        return np.linalg.norm(axes, axis=1)
    return np.hypot(axes[:, 0], axes[:, 1]) + 0.5 * np.abs(axes[:, 2])
