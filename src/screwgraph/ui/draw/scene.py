"""What a figure shows, as data: shapes, edges and texts with coordinates in points, y downward."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from screwgraph.ui.draw import style

Point = tuple[float, float]


@dataclass(frozen=True)
class Node:
    """A variable (circle when unknown, square when known) or a factor (dot); `radius` is half its width."""

    name: str
    shape: Literal["circle", "square", "dot"]
    at: Point
    radius: float = style.RADIUS
    text: str = ""
    colours: style.Colours = style.PLAIN


@dataclass(frozen=True)
class Edge:
    """A line between two nodes: two points for a straight one, three for a quadratic Bezier curve."""

    source: str
    target: str
    points: tuple[Point, ...]
    colour: str = style.INK
    arrow: bool = False


@dataclass(frozen=True)
class Box:
    """A rectangle with its upper left corner at `at`."""

    name: str
    at: Point
    width: float
    height: float
    colours: style.Colours = style.PLAIN
    line_width: float = 1.0


@dataclass(frozen=True)
class Text:
    """Words outside of nodes; `at` is the left, middle or right end of their centre line."""

    text: str
    at: Point
    align: Literal["left", "center", "right"] = "left"
    size: float = style.TEXT_SIZE
    colour: str = style.INK


@dataclass(frozen=True)
class Scene:
    """A figure before it is drawn; later entries lie over earlier ones, nodes over edges over boxes."""

    boxes: tuple[Box, ...] = ()
    edges: tuple[Edge, ...] = ()
    nodes: tuple[Node, ...] = ()
    texts: tuple[Text, ...] = ()

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of everything; zeros when there is nothing."""
        spans = list(_spans(self))
        if not spans:
            return (0.0, 0.0, 0.0, 0.0)
        left, top, right, bottom = zip(*spans, strict=True)
        return min(left), min(top), max(right), max(bottom)


def merge_scenes(scenes: Iterable[Scene]) -> Scene:
    """Lay scenes over one another."""
    scenes = tuple(scenes)
    return Scene(
        tuple(b for s in scenes for b in s.boxes),
        tuple(e for s in scenes for e in s.edges),
        tuple(n for s in scenes for n in s.nodes),
        tuple(t for s in scenes for t in s.texts),
    )


def shift_scene(scene: Scene, dx: float, dy: float, prefix: str = "") -> Scene:
    """Move a scene; `prefix` goes before all names, so that they stay unique when scenes are merged."""

    def move_point(point: Point) -> Point:
        return point[0] + dx, point[1] + dy

    return Scene(
        tuple(replace(b, name=prefix + b.name, at=move_point(b.at)) for b in scene.boxes),
        tuple(
            replace(e, source=prefix + e.source, target=prefix + e.target, points=tuple(map(move_point, e.points)))
            for e in scene.edges
        ),
        tuple(replace(n, name=prefix + n.name, at=move_point(n.at)) for n in scene.nodes),
        tuple(replace(t, at=move_point(t.at)) for t in scene.texts),
    )


def text_width(text: str, size: float) -> float:
    """Estimate how wide a text is, a little too wide rather than too narrow."""
    letters = re.sub(r"\\(d?dot|mathcal|mathrm)\b|[${}_^]", "", text)
    return 0.47 * size * len(re.sub(r"\\[a-zA-Z]+", "x", letters))


def node_box(node: Node) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a node."""
    (x, y), r = node.at, node.radius
    return x - r, y - r, x + r, y + r


def text_box(text: Text) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a text."""
    (x, y), width, height = text.at, text_width(text.text, text.size), 1.3 * text.size
    left = x - {"left": 0.0, "center": 0.5, "right": 1.0}[text.align] * width
    return left, y - height / 2, left + width, y + height / 2


def _spans(scene: Scene) -> Iterable[tuple[float, float, float, float]]:
    for box in scene.boxes:
        x, y = box.at
        yield x, y, x + box.width, y + box.height
    yield from map(node_box, scene.nodes)
    for edge in scene.edges:
        (left, right), (top, bottom) = (_extent(values) for values in zip(*edge.points, strict=True))
        yield left, top, right, bottom
    yield from map(text_box, scene.texts)


def _extent(values: Sequence[float]) -> tuple[float, float]:
    """Return the least and the greatest coordinate of a line or curve along one axis."""
    first, last = values[0], values[-1]
    ends = [first, last]
    if len(values) == 3:
        bow = first - 2 * values[1] + last
        t = (first - values[1]) / bow if bow else 0.0
        if 0.0 < t < 1.0:
            ends.append((1 - t) ** 2 * first + 2 * t * (1 - t) * values[1] + t**2 * last)
    return min(ends), max(ends)
