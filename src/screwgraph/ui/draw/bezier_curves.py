"""Straight lines and quadratic Bezier curves: points on them, parts of them, distances from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.ui.draw.scene import Point


def make_curve(start: Point, end: Point, bulge: float) -> tuple[Point, ...]:
    """Return a curve that leaves the chord by `bulge` (points, to the left of the direction on the page)."""
    if not bulge:
        return start, end
    (x0, y0), (x1, y1) = start, end
    length = float(np.hypot(x1 - x0, y1 - y0)) or 1.0
    normal = ((y1 - y0) / length, -(x1 - x0) / length)
    control = ((x0 + x1) / 2 + 2 * bulge * normal[0], (y0 + y1) / 2 + 2 * bulge * normal[1])
    return start, control, end


def sample_curve(points: Sequence[Point], step: float = 4.0) -> np.ndarray:
    """Return points on a curve about `step` points apart, ends included. -> (n, 2)"""
    polygon = np.asarray(points, dtype=float)
    length = np.linalg.norm(np.diff(polygon, axis=0), axis=1).sum()
    t = np.linspace(0.0, 1.0, max(2, int(np.ceil(length / step)) + 1))[:, None]
    if len(polygon) == 2:
        return (1 - t) * polygon[0] + t * polygon[1]
    return (1 - t) ** 2 * polygon[0] + 2 * t * (1 - t) * polygon[1] + t**2 * polygon[2]


def clip_curve(points: tuple[Point, ...], start_radius: float, end_radius: float) -> tuple[Point, ...]:
    """Cut off what lies inside the circles around the ends of a curve."""
    first = _leaves(points, start_radius)
    last = 1.0 - _leaves(points[::-1], end_radius)
    if last <= first:
        return points
    tail = _split(points, first)[1]
    return _split(tail, (last - first) / (1.0 - first))[0]


def _leaves(points: tuple[Point, ...], radius: float) -> float:
    """Find the parameter at which a curve leaves the circle around its start."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        x, y = _split(points, middle)[0][-1]
        if np.hypot(x - points[0][0], y - points[0][1]) < radius:
            low = middle
        else:
            high = middle
    return low


def _split(points: tuple[Point, ...], t: float) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Cut a curve in two at a parameter (de Casteljau)."""

    def interpolate_points(a: Point, b: Point) -> Point:
        return (1 - t) * a[0] + t * b[0], (1 - t) * a[1] + t * b[1]

    if len(points) == 2:
        middle = interpolate_points(*points)
        return (points[0], middle), (middle, points[1])
    a, b = interpolate_points(points[0], points[1]), interpolate_points(points[1], points[2])
    middle = interpolate_points(a, b)
    return (points[0], a, middle), (middle, b, points[2])
