"""Products of vectors as sequences of numbers of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Return the scalar product of two vectors (k,)."""
    first, *others = (x * y for x, y in zip(a, b, strict=True))
    return sum(others, start=first)


def cross(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Return the cross product of two vectors (3,)."""
    (ax, ay, az), (bx, by, bz) = a, b
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
