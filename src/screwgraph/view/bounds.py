"""How far bodies reach."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.view.parts import parts
from screwgraph.view.scene import Body


def bounds(body: Body, direction: Float[np.ndarray, "3"]) -> tuple[float, float]:
    """Return between which heights along a unit vector the shapes of a body are, over time (m); infinite for none."""
    low, high = np.inf, -np.inf
    poses = np.asarray(body.poses, dtype=float).reshape(-1, 4, 4)
    for part in (part for visual in body.visuals for part in parts(visual)):
        T = poses @ part.T
        height, extent = T[:, :3, 3] @ direction, _half_extent(part.mesh, (direction @ T[:, :3, :3]) * part.scale)
        low, high = min(low, float((height - extent).min())), max(high, float((height + extent).max()))
    return low, high


def _half_extent(mesh: str, axes: Float[np.ndarray, "N 3"]) -> Float[np.ndarray, " N"]:
    """How far a mesh reaches along a direction, from the components of its stretched axes along that."""
    if mesh == "box":
        return 0.5 * np.abs(axes).sum(axis=1)
    if mesh == "sphere":
        return np.linalg.norm(axes, axis=1)
    return np.hypot(axes[:, 0], axes[:, 1]) + 0.5 * np.abs(axes[:, 2])
