"""The angle from one moving line to another."""

from __future__ import annotations

from typing import Any

from screwgraph.spatial import cos, sin


def relative_angle(xk: Any, yk: Any, xl: Any, yl: Any, xi: Any, yi: Any, xj: Any, yj: Any, theta: Any) -> list[Any]:
    """Cross product of the line from k to l, turned by theta, and that from i to j (m^2).

    Its derivative by theta is minus the product of their lengths wherever it holds. Garcia de Jalon & Bayo (1994), 2.2.
    """
    ax, ay, bx, by = xl - xk, yl - yk, xj - xi, yj - yi
    return [cos(theta) * (ax * by - ay * bx) - sin(theta) * (ax * bx + ay * by)]
