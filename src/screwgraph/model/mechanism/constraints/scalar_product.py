"""Two lines in space at a constant angle."""

from __future__ import annotations

from typing import Any

from screwgraph.spatial import dot


def scalar_product(*ends: Any, product: Any) -> list[Any]:
    """Scalar product of two lines, x, y, z of the tail and head of each, less a constant (m^2).

    Lines of constant length then have a constant angle. Garcia de Jalon & Bayo (1994), section 2.2.
    """
    a, b = split_lines(ends)
    return [dot(a, b) - product]


def split_lines(ends: tuple[Any, ...]) -> list[tuple[Any, Any, Any]]:
    """Return ways along lines in space, given x, y, z of the tail and head of each."""
    lines = (ends[i : i + 6] for i in range(0, len(ends), 6))
    return [(hx - tx, hy - ty, hz - tz) for tx, ty, tz, hx, hy, hz in lines]
