"""A point on a line that does not move."""

from __future__ import annotations

from typing import Any


def fixed_slider(x: Any, y: Any, *, xa: Any, ya: Any, xb: Any, yb: Any) -> list[Any]:
    """Cross product of the guide from A to B and the way from A to the point (m^2).

    Blanco-Claraco et al. (2021), eq. (42a).
    """
    return [(xb - xa) * (y - ya) - (yb - ya) * (x - xa)]
