"""Names beside nodes: where they cover neither edges, nor nodes, nor one another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from screwgraph.ui.draw import style
from screwgraph.ui.draw.bezier_curves import sample_curve
from screwgraph.ui.draw.scene import Edge, Node, Text, node_box, text_box

SIZE = 8.0
"""Points of the letters."""
GAPS = (7.0, 12.0, 18.0, 26.0, 34.0)
"""Points from a node's centre to its name: near ones first."""
SIDES = (*((side, down) for down in (0, -1, 1, -0.4, 0.4) for side in (-1, 1)), (0, -1), (0, 1))
"""Where a name may stand of its node, x and y: level first, where it is read best."""
ENDS: Mapping[int, Literal["left", "center", "right"]] = {-1: "right", 0: "center", 1: "left"}
"""Which end of a name is at its place, by the side of the node."""
ON_NODE, ON_EDGE = 1000.0, 100.0
"""What it costs to cover a node or a name, and each point of an edge; the next best place costs 1."""

Box = tuple[float, float, float, float]


def place_names(names: Sequence[tuple[Node, str]], nodes: Iterable[Node], edges: Iterable[Edge]) -> tuple[Text, ...]:
    """Return the names of nodes, each at the nearest place around its node that covers least."""
    lines = np.concatenate([np.empty((0, 2)), *(sample_curve(edge.points, 1.0) for edge in edges)])
    taken = [node_box(node) for node in nodes]
    found = []
    for node, name in names:
        places = list(_places(node, name))
        costs = [n + _covers(text_box(text), lines, taken) for n, text in enumerate(places)]
        best = places[int(np.argmin(costs))]
        taken.append(text_box(best))
        found.append(best)
    return tuple(found)


def _places(node: Node, name: str) -> Iterator[Text]:
    x, y = node.at
    for gap in GAPS:
        for side, down in SIDES:
            yield Text(name, (x + side * gap, y + down * gap), ENDS[side], SIZE, style.FAINT)


def _covers(box: Box, lines: np.ndarray, taken: Sequence[Box]) -> float:
    left, top, right, bottom = box
    nodes = sum(a < right and left < c and b < bottom and top < d for a, b, c, d in taken)
    x, y = lines.T
    return ON_NODE * nodes + ON_EDGE * np.count_nonzero((left < x) & (x < right) & (top < y) & (y < bottom))
