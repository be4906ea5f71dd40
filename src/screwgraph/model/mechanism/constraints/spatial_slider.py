"""A point on a line in space."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.constraints.scalar_product import split_lines


def spatial_slider(*coordinates: Any, length: Any) -> list[Any]:
    """Return the way from the guide's first point to a point less so much of the guide (m).

    Coordinates are those of the first point and the point, of the guide's tail and head, and the distance along it
    (m); `length` is that of the guide. With that distance as an unknown, the three equations never degenerate.
    """
    *ends, distance = coordinates
    way, guide = split_lines(tuple(ends))
    part = distance / length
    return [a - part * b for a, b in zip(way, guide, strict=True)]
