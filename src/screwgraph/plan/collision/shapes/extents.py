"""Distances from boxes in any number of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from screwgraph.spatial import choose, sqrt


def larger(a: Any, b: Any) -> Any:
    """Return the larger of two scalars."""
    return choose(a > b, a, b)


def clipped(x: Any) -> Any:
    """Return a scalar, or zero where it is negative."""
    return choose(x > 0.0, x, 0.0)


def beyond(excess: Sequence[Any]) -> Any:
    """Return the distance from a box's surface of a point that is so far beyond its faces, direction by direction.

    Within, the distance is that to the nearest face, negative.
    """
    nearest = reduce(larger, excess)
    squares = sum(clipped(e) * clipped(e) for e in excess)
    return choose(nearest > 0.0, sqrt(choose(nearest > 0.0, squares, 1.0)), nearest)
