"""A point on a line through two points that move."""

from __future__ import annotations

from typing import Any


def mobile_slider(x: Any, y: Any, xi: Any, yi: Any, xj: Any, yj: Any) -> list[Any]:
    """Cross product of the guide from i to j and the way from i to the point (m^2).

    Blanco-Claraco et al. (2021), eq. (43a).
    """
    return [(xj - xi) * (y - yi) - (yj - yi) * (x - xi)]
