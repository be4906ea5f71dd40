"""A rigid rod: two points at a constant distance."""

from __future__ import annotations

from typing import Any


def constant_distance(xi: Any, yi: Any, xj: Any, yj: Any, *, length: Any) -> list[Any]:
    """Squared distance of points i and j less the squared length (m^2). Blanco-Claraco et al. (2021), eq. (41a)."""
    dx, dy = xj - xi, yj - yi
    return [dx * dx + dy * dy - length * length]
