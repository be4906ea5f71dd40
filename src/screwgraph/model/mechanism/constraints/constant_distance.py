"""A rigid rod: two points at a constant distance."""

from __future__ import annotations

from typing import Any

from screwgraph.spatial import dot


def constant_distance(*ends: Any, length: Any) -> list[Any]:
    """Squared distance of points i and j (x, y[, z] of each) less the squared length (m^2).

    Blanco-Claraco et al. (2021), eq. (41a).
    """
    half = len(ends) // 2
    way = [b - a for a, b in zip(ends[:half], ends[half:], strict=True)]
    return [dot(way, way) - length * length]
