"""A further line of a rigid body in space: a combination of two others and their cross product."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.constraints.scalar_product import split_lines
from screwgraph.spatial import cross


def body_line(*ends: Any, along: Any, beside: Any, across: Any) -> list[Any]:
    """Return a line less its parts along two lines a and b, and along a x b (m); x, y, z of all tails and heads.

    Three equations for three coordinates, of which no mirror image is a solution. Garcia de Jalon & Bayo (1994), 2.2.
    """
    line, a, b = split_lines(ends)
    normal = cross(a, b)
    return [x - along * u - beside * v - across * w for x, u, v, w in zip(line, a, b, normal, strict=True)]
