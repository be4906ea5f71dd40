"""From a scene to a matplotlib figure; with `save` and `library` the only place that knows matplotlib."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.base.progress_report import report_progress
from screwgraph.ui.draw import style
from screwgraph.ui.draw.bezier_curves import sample_curve
from screwgraph.ui.draw.matplotlib_import import new_figure
from screwgraph.ui.draw.scene import Box, Edge, Node, Scene, Text

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from screwgraph.ui.draw.drawing import Drawing

POINTS_PER_INCH = 72.0
FONTS = {"fontfamily": "STIXGeneral", "math_fontfamily": "cm", "usetex": False}
"""Fonts that matplotlib brings along, so that a figure looks the same everywhere."""
ARROW_LENGTH, ARROW_WIDTH = 6.5, 2.6


def render(scene: Scene) -> Drawing:
    """Draw a scene on a figure of its own size: one point of the scene is one point on paper."""
    left, top, right, bottom = scene.bounds
    left, top, right, bottom = left - style.MARGIN, top - style.MARGIN, right + style.MARGIN, bottom + style.MARGIN
    size = ((right - left) / POINTS_PER_INCH, (bottom - top) / POINTS_PER_INCH)
    figure = new_figure(figsize=size, dpi=POINTS_PER_INCH, facecolor=style.PAPER, edgecolor="none")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    for number, artist in enumerate(_artists(scene)):
        report_progress("rendering", number / _size(scene))
        axes.add_artist(artist)
    for node in scene.nodes:
        _write(axes, Text(node.text, node.at, "center", style.LABEL_SIZE), "center")
    for text in scene.texts:
        _write(axes, text, "center_baseline")
    return figure


def _size(scene: Scene) -> int:
    """Return at most how many artists a scene has: an arrow is two."""
    return len(scene.boxes) + 2 * len(scene.edges) + len(scene.nodes)


def _artists(scene: Scene) -> Iterator[Artist]:
    for box in scene.boxes:
        yield _box(box)
    for edge in scene.edges:
        yield from _edge(edge)
    for node in scene.nodes:
        yield _node(node)


def _write(axes: Axes, text: Text, vertical: Any) -> None:
    if text.text:
        look = {"fontsize": text.size, "color": text.colour, "ha": text.align, "va": vertical, **FONTS}
        axes.text(*text.at, text.text, zorder=4, **look)


def _box(box: Box) -> Artist:
    from matplotlib.patches import Rectangle

    look: dict[str, Any] = {"facecolor": box.colours.fill, "edgecolor": box.colours.line, "linewidth": box.line_width}
    return Rectangle(box.at, box.width, box.height, zorder=1, gid=_identifier(box.name), **look)


def _edge(edge: Edge) -> Iterator[Artist]:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    codes = [Path.MOVETO, *([Path.LINETO] if len(edge.points) == 2 else [Path.CURVE3, Path.CURVE3])]
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": edge.colour, "linewidth": 1.1}
    yield PathPatch(Path(edge.points, codes), zorder=2, gid=_identifier(f"{edge.source}-{edge.target}"), **look)
    if edge.arrow:
        yield Polygon(_head(edge), closed=True, facecolor=edge.colour, edgecolor="none", zorder=2.5)


def _head(edge: Edge) -> np.ndarray:
    """Corners of an arrow's head, along the last stretch of its line."""
    line = sample_curve(edge.points, 1.0)
    tip = line[-1]
    back = line[np.argmin(np.abs(np.linalg.norm(line - tip, axis=1) - ARROW_LENGTH))]
    along = (tip - back) / (np.linalg.norm(tip - back) or 1.0)
    across = np.array([-along[1], along[0]]) * ARROW_WIDTH
    base = tip - ARROW_LENGTH * along
    return np.array([tip, base + across, base - across])


def _node(node: Node) -> Artist:
    from matplotlib.patches import Circle, Rectangle

    look: dict[str, Any] = {
        "edgecolor": node.colours.line,
        "linewidth": 1.1,
        "zorder": 3,
        "gid": _identifier(node.name),
    }
    (x, y), r = node.at, node.radius
    if node.shape == "square":
        return Rectangle((x - r, y - r), 2 * r, 2 * r, facecolor=node.colours.fill, **look)
    return Circle((x, y), r, facecolor=node.colours.line if node.shape == "dot" else node.colours.fill, **look)


def _identifier(name: str) -> str:
    """Return a name that can stand as `id` in an SVG whatever a robot's joints are called."""
    return re.sub(r"[^A-Za-z0-9_.:-]", "_", name)
