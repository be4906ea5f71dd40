"""Lines and points of scenes in the browser, where they stand at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.ui.view.scene import Line, Points

Place = Callable[[Float[np.ndarray, "k 3"]], None]
"""Puts a trail where its points (m) are."""


def add_trail(server: Any, name: str, trail: Line | Points, colour: tuple[int, ...]) -> Place:
    """Add a line or points as they stand first; return what moves them."""
    first = trail_points(trail, 0)
    if isinstance(trail, Points):
        return _add_balls(server, name, first, trail.radius, colour)
    return _add_line(server, name, first, colour)


def trail_points(trail: Line | Points, frame: int) -> Float[np.ndarray, "k 3"]:
    """Return the points of a trail (m) at a time."""
    points = np.asarray(trail.points, dtype=float)
    return points if points.ndim == 2 else points[frame]


def _add_line(server: Any, name: str, first: Float[np.ndarray, "k 3"], colour: tuple[int, ...]) -> Place:
    handle = server.scene.add_line_segments(name, points=_segments(first), colors=colour)

    def place(points: Float[np.ndarray, "k 3"]) -> None:
        handle.points = _segments(points)

    return place


def _segments(points: Float[np.ndarray, "k 3"]) -> Float[np.ndarray, "n 2 3"]:
    """Return the pieces of a line; breaks are pieces of no length, so that their number stays."""
    pairs = np.stack([points[:-1], points[1:]], axis=1)
    whole = np.isfinite(pairs).reshape(len(pairs), -1).all(axis=1)
    return np.where(whole.reshape(-1, 1, 1), pairs, 0.0)


def _add_balls(
    server: Any, name: str, first: Float[np.ndarray, "k 3"], radius: float, colour: tuple[int, ...]
) -> Place:
    handles = [server.scene.add_icosphere(f"{name}/{i}", radius=radius, color=colour) for i in range(len(first))]

    def place(points: Float[np.ndarray, "k 3"]) -> None:
        for handle, point in zip(handles, points, strict=True):
            handle.visible = bool(np.isfinite(point).all())
            if handle.visible:
                handle.position = point

    place(first)
    return place
