"""The factor graph of a robot, in the arrangement of Xie & Dellaert (2019) (Figs 1, 3, 4a, 6a, 8, 9a)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from screwgraph.base.errors import InputError
from screwgraph.graph import Factor, FactorGraph
from screwgraph.ui.draw import style
from screwgraph.ui.draw.layout import CLOSING, Layout, make_layout
from screwgraph.ui.draw.legend import Item, with_legend
from screwgraph.ui.draw.math_labels import make_labels
from screwgraph.ui.draw.render import render
from screwgraph.ui.draw.routing import Connection, route_edges
from screwgraph.ui.draw.scene import Node, Scene

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing

Known = Literal["hide", "square"]


def draw_graph(graph: FactorGraph, *, known: Known = "hide", gravity: bool = False) -> Drawing:
    """Draw a factor graph: circles are unknown, squares known, dots factors.

    Xie & Dellaert (2019), Figs 1, 3, 4a, 6a, 8, 9a.

    Args:
        graph: of any tree of links; branches are bands of rows, a column stands for a place in the chain.
        known: `"hide"` leaves out what is known (Fig. 4a), `"square"` shows it (Fig. 3).
        gravity: whether to show the directions of gravity, which Xie & Dellaert (2019) leaves out.

    Raises:
        InputError: `known` is neither.
    """
    return render(graph_scene(graph, known=known, gravity=gravity))


def graph_scene(graph: FactorGraph, *, known: Known = "hide", gravity: bool = False) -> Scene:
    """Arrange a factor graph; see `draw_graph`."""
    if known not in ("hide", "square"):
        raise InputError(f"known={known!r}", why="known variables are hidden or squares", fix='"hide" or "square"')
    places = arrange_graph(graph, known=known, gravity=gravity)
    nodes = [*make_variable_nodes(graph, places), *make_factor_nodes(graph, places)]
    links = [
        Connection(factor_name(number), str(key))
        for number in places.factors
        for key in graph.factors[number].keys
        if key in places.variables
    ]
    return with_legend(Scene(edges=route_edges(links, nodes), nodes=tuple(nodes)), _legend(graph, nodes))


def arrange_graph(graph: FactorGraph, *, known: Known = "hide", gravity: bool = False) -> Layout:
    """Place the variables and factors of a graph that are to be seen."""
    factors = [n for n, f in enumerate(graph.factors) if gravity or not _is_about_gravity(f)]
    touched = {key for n in factors for key in graph.factors[n].keys}
    drawn = [
        key
        for key in graph.variables
        if (gravity or key.kind != "gravity") and (key not in graph.known or (known == "square" and key in touched))
    ]
    return make_layout(graph, drawn, factors)


def make_variable_nodes(graph: FactorGraph, places: Layout) -> list[Node]:
    """Return a circle or square for each variable that has a place."""
    names = make_labels(graph.variables.values())
    return [
        Node(str(key), "square", at, style.RADIUS - 1.5, names[key], style.KNOWN)
        if key in graph.known
        else Node(str(key), "circle", at, style.RADIUS, names[key])
        for key, at in places.variables.items()
    ]


def make_factor_nodes(graph: FactorGraph, places: Layout) -> list[Node]:
    """Return a dot for each factor that has a place; those of loops and couplings stand out."""
    return [
        Node(factor_name(number), "dot", at, style.DOT + 1.2, colours=style.CLOSING)
        if graph.factors[number].template.name in CLOSING
        else Node(factor_name(number), "dot", at, style.DOT)
        for number, at in places.factors.items()
    ]


def factor_name(number: int) -> str:
    """Name the dot of a factor by its place in the graph's list."""
    return f"factor:{number}"


def make_closure_legend(graph: FactorGraph) -> list[Item]:
    """Explain the dots of loops and couplings, where a graph has any."""
    ties = any(factor.template.name in CLOSING for factor in graph.factors)
    return [("dot", "factor of a loop or coupling", style.CLOSING)] if ties else []


def _is_about_gravity(factor: Factor) -> bool:
    return {key.kind for key in factor.keys} - {"q"} == {"gravity"}


def _legend(graph: FactorGraph, nodes: list[Node]) -> list[Item]:
    meanings = {
        "circle": ("circle", "unknown", style.PLAIN),
        "square": ("square", "known", style.KNOWN),
        "dot": ("dot", "factor", style.PLAIN),
    }
    shapes = {node.shape for node in nodes}
    return [*(item for shape, item in meanings.items() if shape in shapes), *make_closure_legend(graph)]
