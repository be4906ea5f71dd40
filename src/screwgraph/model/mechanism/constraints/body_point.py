"""A further point of a rigid body: a linear combination of the first two."""

from __future__ import annotations

from typing import Any


def body_point(xi: Any, yi: Any, xj: Any, yj: Any, x: Any, y: Any, *, along: Any, across: Any) -> list[Any]:
    """Return the distance of a point from its place on a body: so far along the line from i to j, and across it (m).

    Two equations for two coordinates, also of points on the line. Garcia de Jalon & Bayo (1994), section 2.1.
    """
    dx, dy = xj - xi, yj - yi
    return [x - xi - along * dx + across * dy, y - yi - along * dy - across * dx]
