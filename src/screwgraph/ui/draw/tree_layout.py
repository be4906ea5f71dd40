"""A tidy tree of boxes: children under their parent, subtrees as close together as they fit."""

from __future__ import annotations

from collections.abc import Sequence

Contour = list[tuple[float, float]]
"""Left and right end of a subtree on each level, measured from the middle of its top box."""


def place_middles(parents: Sequence[int | None], widths: Sequence[float], gap: float) -> list[float]:
    """Return the middle of each box from left to right; parents stand before children in the lists.

    A parent stands over the middle of its children; the trees of a forest stand side by side.
    """
    children: list[list[int]] = [[] for _ in parents]
    for n, parent in enumerate(parents):
        if parent is not None:
            children[parent].append(n)
    contours: list[Contour] = [[] for _ in parents]
    offset = [0.0] * len(parents)
    for n in reversed(range(len(parents))):
        below = _pack(children[n], contours, offset, gap)
        contours[n] = [(-widths[n] / 2, widths[n] / 2), *below]
    roots = [n for n, parent in enumerate(parents) if parent is None]
    _pack(roots, contours, offset, gap)
    result: list[float] = []
    for n, parent in enumerate(parents):
        result.append(offset[n] if parent is None else result[parent] + offset[n])
    return result


def place_tops(parents: Sequence[int | None], heights: Sequence[float], rise: float) -> list[float]:
    """Return the upper edge of each box; all boxes of a level have the same."""
    level: list[int] = []
    for parent in parents:
        level.append(0 if parent is None else level[parent] + 1)
    edges = [0.0]
    for depth in range(max(level, default=0)):
        edges.append(edges[-1] + max(h for h, d in zip(heights, level, strict=True) if d == depth) + rise)
    return [edges[depth] for depth in level]


def _pack(members: Sequence[int], contours: Sequence[Contour], offset: list[float], gap: float) -> Contour:
    """Set subtrees side by side, centred around zero: write their offsets, return the contour of them all."""
    packed: Contour = []
    place: list[float] = []
    for n in members:
        own = contours[n]
        x = max((right + gap - left for (_, right), (left, _) in zip(packed, own, strict=False)), default=0.0)
        place.append(x)
        moved = [(left + x, right + x) for left, right in own]
        both = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(packed, moved, strict=False)]
        packed = both + packed[len(both) :] + moved[len(both) :]
    middle = (place[0] + place[-1]) / 2 if place else 0.0
    for n, x in zip(members, place, strict=True):
        offset[n] = x - middle
    return [(left - middle, right - middle) for left, right in packed]
