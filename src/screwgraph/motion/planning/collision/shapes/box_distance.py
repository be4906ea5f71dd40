"""Distances from boxes in any number of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from screwgraph.spatial import choose, sqrt


def maximum_of_two(a: Any, b: Any) -> Any:
    """Return the larger of two scalars."""
    return choose(a > b, a, b)


def clip_negative(x: Any) -> Any:
    """Return a scalar, or zero where it is negative."""
    return choose(x > 0.0, x, 0.0)


def box_surface_distance(excess: Sequence[Any]) -> Any:
    """Return the distance from a box's surface of a point that is so far beyond its faces, direction by direction.

    Within, the distance is that to the nearest face, negative.
    """
    nearest = reduce(maximum_of_two, excess)
    squares = sum(clip_negative(e) * clip_negative(e) for e in excess)
    return choose(nearest > 0.0, sqrt(choose(nearest > 0.0, squares, 1.0)), nearest)
