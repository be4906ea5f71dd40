"""Explanations under a figure."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.ui.draw import style
from screwgraph.ui.draw.math_labels import escape_mathtext
from screwgraph.ui.draw.scene import Edge, Node, Scene, Text, merge_scenes, text_width

Item = tuple[str, str, style.Colours]
"""A sign (circle, square, dot, arrow or nothing), its meaning, its colours."""

LINE = 18.0
GAP = 18.0
SIGN = 22.0


def with_legend(scene: Scene, items: Sequence[Item], title: str = "") -> Scene:
    """Add a title above and explanations below a figure, wrapped to its width."""
    left, top, right, bottom = scene.bounds
    parts = [scene]
    if title:
        parts.append(
            Scene(texts=(Text(escape_mathtext(title), (left, top - 1.8 * style.TEXT_SIZE), size=style.TEXT_SIZE + 1),))
        )
    x, y = left, bottom + 1.5 * LINE
    for number, (sign, meaning, colours) in enumerate(items):
        width = SIGN + text_width(meaning, style.TEXT_SIZE)
        if x > left and x + width > max(right, left + 300.0):
            x, y = left, y + LINE
        parts.append(_item(f"legend:{number}", x, y, sign, meaning, colours))
        x += width + GAP
    return merge_scenes(parts)


def _item(name: str, x: float, y: float, sign: str, meaning: str, colours: style.Colours) -> Scene:
    if not sign:
        return Scene(texts=(Text(meaning, (x, y), colour=style.FAINT),))
    text = Text(meaning, (x + SIGN, y), colour=style.FAINT)
    if sign == "arrow":
        return Scene(edges=(Edge(name, name, ((x, y), (x + 0.7 * SIGN, y)), colours.line, arrow=True),), texts=(text,))
    radius = style.DOT if sign == "dot" else 5.5
    shape = "dot" if sign == "dot" else "square" if sign == "square" else "circle"
    return Scene(nodes=(Node(name, shape, (x + 8.0, y), radius, colours=colours),), texts=(text,))
