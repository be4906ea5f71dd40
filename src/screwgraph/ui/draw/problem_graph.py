"""Factor graphs over time, and the Bayes networks that they stem from: steps are columns.

Blanco-Claraco et al. (2021), Figs 1 to 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.optimize import Factors, Problem
from screwgraph.ui.draw import style
from screwgraph.ui.draw.bezier_curves import sample_curve
from screwgraph.ui.draw.legend import with_legend
from screwgraph.ui.draw.render import render
from screwgraph.ui.draw.routing import Connection, route_edges
from screwgraph.ui.draw.scene import Edge, Node, Point, Scene, Text, node_box, text_box

if TYPE_CHECKING:
    from screwgraph.motion.estimation import BayesNetwork, Quantity
    from screwgraph.ui.draw.drawing import Drawing


COLUMN, ROW = 150.0, 92.0
"""Points between steps, and between kinds of unknowns."""
ASIDE, APART = 40.0, 15.0
"""Points that a factor stands beside its column, and at least from other nodes."""
MOST = 400
"""Nodes of a figure that can be told apart."""
SYMBOLS: Mapping[str, str] = {
    **{"z": "z", "w": r"\dot{z}", "b": r"\ddot{z}", "q": "q", "v": r"\dot{q}", "a": r"\ddot{q}"},
    **{"qd": r"\dot{q}", "qdd": r"\ddot{q}", "zd": r"\dot{z}", "zdd": r"\ddot{z}"},
    **{"tau": r"\tau", "loops": r"\lambda", "parameters": "p"},
}
"""How unknowns are written, by the names of their families in the order of rows, and by kinds of quantities."""
UNKNOWN, FACTOR = ("circle", "unknown", style.PLAIN), ("dot", "factor", style.PLAIN)


def draw_problem(problem: Problem, title: str = "") -> Drawing:
    """Draw a factor graph whose families have an unknown each step: a column for each step, a row for each family.

    Raises:
        InputError: the graph is too large to be looked at.
    """
    return render(problem_scene(problem, title))


def problem_scene(problem: Problem, title: str = "") -> Scene:
    """Arrange a factor graph over time; see `draw_problem`."""
    count = sum(family.count for family in problem.families) + sum(len(group) for group in problem.factors)
    _check_size(count)
    steps = max(family.count for family in problem.families)
    places: dict[str, Point] = {}
    listed = sorted(problem.families, key=lambda f: list(SYMBOLS).index(f.name) if f.name in SYMBOLS else len(SYMBOLS))
    for row, family in enumerate(listed):
        shared = family.count < steps
        for k in range(family.count):
            places[f"{family.name}_{k}"] = (-COLUMN if shared else COLUMN * k, ROW * row)
    variables = [
        Node(name, "circle", at, style.RADIUS, _label(*name.rsplit("_", 1), alone=problem))
        for name, at in places.items()
    ]
    dots, links, names = [], [], []
    taken = list(places.values())
    for name, group, ends in _instances(problem.factors):
        at = _free(_place_factor([places[end] for end in ends]), taken)
        taken.append(at)
        dots.append(Node(name, "dot", at, style.DOT))
        links += [Connection(name, end) for end in ends]
        names.append((dots[-1], _factor(group)))
    nodes = (*variables, *dots)
    edges = route_edges(links, nodes)
    scene = Scene(edges=edges, nodes=nodes, texts=place_names(names, nodes, edges))
    return with_legend(scene, [UNKNOWN, FACTOR], title)


def draw_network(network: BayesNetwork, known: Iterable[str | Quantity] = (), title: str = "") -> Drawing:
    """Draw a Bayes network: arrows lead to what depends on something, squares are known.

    Blanco-Claraco et al. (2021), Fig. 1.

    Raises:
        InputError: something known is no quantity of the network, or it is too large.
    """
    _check_size(len(network.parents))
    unknowns = set(network.unknowns(known))
    rows = list(dict.fromkeys(node.kind for node in network.parents))
    nodes = [
        Node(
            str(node),
            "circle" if node in unknowns else "square",
            (COLUMN * node.step, ROW * rows.index(node.kind)),
            style.RADIUS if node in unknowns else style.RADIUS - 1.5,
            _label(node.kind, str(node.step)),
            style.PLAIN if node in unknowns else style.KNOWN,
        )
        for node in network.parents
    ]
    links = [Connection(str(p), str(node), arrow=True) for node, parents in network.parents.items() for p in parents]
    legend = [UNKNOWN, *([("square", "known", style.KNOWN)] if len(unknowns) < len(nodes) else [])]
    legend.append(("arrow", "depends on", style.PLAIN))
    return render(with_legend(Scene(edges=route_edges(links, nodes), nodes=tuple(nodes)), legend, title))


def _check_size(count: int) -> None:
    if count > MOST:
        raise InputError(
            f"the graph has {count} nodes", why=f"more than {MOST} cannot be told apart", fix="fewer steps"
        )


def _instances(groups: Iterable[Factors]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield name, group and variables of each single factor."""
    for group in groups:
        for j in range(len(group)):
            picked = [(a.variables.name, int(a.indices[j if len(a) > 1 else 0])) for a in group.arguments]
            yield f"factor:{group.name}:{j}", group.name, list(dict.fromkeys(f"{name}_{k}" for name, k in picked))


def _place_factor(ends: list[Point]) -> Point:
    """Return where a factor stands best: above a single unknown, right of its column, or between two."""
    x, y = np.mean(ends, axis=0)
    columns = {end[0] for end in ends}
    if len(ends) == 1:
        return float(x) - 0.7 * ASIDE, float(y) - 0.5 * ASIDE
    return (float(x) + ASIDE if len(columns) == 1 else float(x)), float(y)


def _free(at: Point, taken: list[Point]) -> Point:
    """Move a place down, or up, until it is apart from all that are taken."""
    for k in range(200):
        down = APART * ((k + 1) // 2) * (1 if k % 2 else -1)
        there = at[0], at[1] + down
        if all(max(abs(there[0] - x), abs(there[1] - y)) >= APART for x, y in taken):
            return there
    return at


def _label(kind: str, index: str, alone: Problem | None = None) -> str:
    symbol = SYMBOLS.get(kind, rf"\mathrm{{{kind.replace('_', ' ')}}}" if len(kind) > 1 else kind)
    single = alone is not None and any(f.name == kind and f.count == 1 for f in alone.families)
    return f"${symbol}$" if single else f"${symbol}_{{{index}}}$"


def _factor(group: str) -> str:
    """Write the name of a group of factors: f_ti q becomes f with an index."""
    head = group.split(" ")[0]
    return rf"$f_{{{head[2:]}}}$" if head.startswith("f_") else head.removesuffix(":")


# Names beside nodes: where they cover neither edges, nor nodes, nor one another.

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
