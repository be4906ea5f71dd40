"""The least distance of the points of a segment from a convex shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from screwgraph.motion.planning.collision.shapes.box_distance import clip_negative, maximum_of_two
from screwgraph.spatial import Array, choose, minimum

_GOLDEN = 0.6180339887498949
_STEPS = 40
"""Of golden sections: the place is found to 4e-9 of the segment's length."""


def point_on_segment(start: Array, way: Array, part: Any) -> list[Any]:
    """Return the point that is so far along a segment, from 0 to 1."""
    return [start[i] + part * way[i] for i in range(3)]


def minimise_along(distance: Callable[[list[Any]], Any], start: Array, way: Array) -> Any:
    """Return the least value along a segment of a function that is convex, as the distance from a convex body is.

    Which part of the segment is kept is decided by values, so that derivatives are those at the point that is found.
    """
    low, high, far = 0.0, 1.0, _GOLDEN
    near = 1.0 - _GOLDEN
    at_near, at_far = distance(point_on_segment(start, way, near)), distance(point_on_segment(start, way, far))
    for _ in range(_STEPS):
        is_left = at_near < at_far
        low, high = choose(is_left, low, near), choose(is_left, far, high)
        new = choose(is_left, low + (1.0 - _GOLDEN) * (high - low), low + _GOLDEN * (high - low))
        value = distance(point_on_segment(start, way, new))
        near, far = choose(is_left, new, far), choose(is_left, near, new)
        at_near, at_far = choose(is_left, value, at_far), choose(is_left, at_near, value)
    ends = minimum(distance(point_on_segment(start, way, 0.0)), distance(point_on_segment(start, way, 1.0)))
    return minimum(minimum(at_near, at_far), ends)


def squared_segment_distance(a: Array, u: Array, b: Array, v: Array) -> Any:
    """Return the squared distance (m^2) between the segments from a along u, and from b along v: Ericson (2005), 5.1.9.

    A segment may be a point.
    """
    r = [a[i] - b[i] for i in range(3)]
    uu, vv, uv = (_dot(x, y) for x, y in ((u, u), (v, v), (u, v)))
    ur, vr = _dot(u, r), _dot(v, r)
    candidates = [_squared_distance(r, u, v, s, clamped_quotient(vr + s * uv, vv)) for s in (0.0, 1.0)]
    candidates += [_squared_distance(r, u, v, clamped_quotient(t * uv - ur, uu), t) for t in (0.0, 1.0)]
    s = clamped_quotient(uv * vr - ur * vv, uu * vv - uv * uv)
    t = clamped_quotient(vr + s * uv, vv)
    candidates.append(_squared_distance(r, u, v, clamped_quotient(t * uv - ur, uu), t))
    found = candidates[0]
    for other in candidates[1:]:
        found = minimum(found, other)
    return found


def clamped_quotient(numerator: Any, denominator: Any) -> Any:
    """Return a quotient between 0 and 1, zero where it is none."""
    is_some = denominator > 0.0
    ratio = numerator / choose(is_some, denominator, 1.0)
    return choose(is_some, -maximum_of_two(-clip_negative(ratio), -1.0), 0.0)


def _squared_distance(r: list[Any], u: Array, v: Array, s: Any, t: Any) -> Any:
    d = [r[i] + s * u[i] - t * v[i] for i in range(3)]
    return _dot(d, d)


def _dot(x: Any, y: Any) -> Any:
    return sum(x[i] * y[i] for i in range(3))
