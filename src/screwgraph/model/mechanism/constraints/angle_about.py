"""The angle from one line to another about a third, in space."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.constraints.scalar_product import split_lines
from screwgraph.spatial import cos, cross, dot, sin


def angle_about(*coordinates: Any, length: Any) -> list[Any]:
    """Cross product of a line a, turned by theta, and a line b, both as seen along an axis (m^2).

    Coordinates are x, y, z of the tails and heads of axis, a and b, then theta; `length` is that of the axis. The
    derivative by theta is minus the product of what is seen of both lines. Garcia de Jalon & Bayo (1994), 2.2.
    """
    *ends, theta = coordinates
    n, a, b = split_lines(tuple(ends))
    turned, straight = dot(n, cross(a, b)) / length, dot(a, b) - dot(a, n) * dot(b, n) / (length * length)
    return [cos(theta) * turned - sin(theta) * straight]
