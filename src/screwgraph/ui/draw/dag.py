"""The elimination DAG in the colours of Xie & Dellaert (2019) (Figs 5d, 7, 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from screwgraph.elimination import Dag
from screwgraph.graph import FactorGraph, Key
from screwgraph.ui.draw import style
from screwgraph.ui.draw.graph import arrange_graph, make_variable_nodes
from screwgraph.ui.draw.legend import Item, with_legend
from screwgraph.ui.draw.math_labels import escape_mathtext
from screwgraph.ui.draw.render import render
from screwgraph.ui.draw.routing import Connection, route_edges
from screwgraph.ui.draw.scene import Node, Scene

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing

COMPUTED = "from a variable to those computed from it"
"""What an arrow of a DAG is."""


def draw_dag(dag: Dag) -> Drawing:
    """Draw an elimination DAG, each variable where the factor graph has it. Xie & Dellaert (2019), Figs 5d, 7, 10.

    An arrow leads from a variable to one that it expresses, as in a Bayes net: back-substitution follows the
    arrows. Accelerations are green (the forward path), wrenches blue, torques and joint accelerations orange
    (the backward path); an arrow has the colour of the variable that it leads to.
    """
    return render(dag_scene(dag))


def draw_bayes_net(dag: Dag) -> Drawing:
    """Draw the Bayes net of an elimination as `draw_dag` draws its DAG: arrows come from all of a separator."""
    return render(bayes_net_scene(dag))


def dag_scene(dag: Dag) -> Scene:
    """Arrange an elimination DAG; see `draw_dag`."""
    return _arrange(dag, dag.edges, COMPUTED)


def bayes_net_scene(dag: Dag) -> Scene:
    """Arrange the Bayes net of an elimination; see `draw_bayes_net`."""
    edges = [(key, parent) for key, parents in dag.bayes_net.items() for parent in parents]
    return _arrange(dag, edges, "to a variable, from each that it is conditioned on")


def _arrange(dag: Dag, edges: Sequence[tuple[Key, Key]], arrow: str) -> Scene:
    places = arrange_graph(dag.graph, gravity=True)
    nodes = [
        colour_node(node, key)
        for node, key in zip(make_variable_nodes(dag.graph, places), places.variables, strict=True)
    ]
    scene = Scene(edges=route_edges(make_arrows(edges, dag.order), nodes), nodes=tuple(nodes))
    return with_legend(scene, make_legend(dag, arrow))


def colour_node(node: Node, key: Key) -> Node:
    """Give a variable the colour of its path."""
    return replace(node, colours=style.colours(key.kind))


def make_arrows(edges: Sequence[tuple[Key, Key]], eliminated: Sequence[Key]) -> list[Connection]:
    """Return the arrows to variables that are eliminated."""
    done = set(eliminated)
    return [
        Connection(str(parent), str(key), style.colours(key.kind).line, arrow=True)
        for key, parent in edges
        if key in done
    ]


def make_legend(dag: Dag, arrow: str) -> list[Item]:
    """Explain colours that occur, and what an arrow is."""
    meanings = {
        style.GREEN: "accelerations (forward path)",
        style.BLUE: "wrenches (backward path)",
        style.ORANGE: "torques, joint accelerations",
        style.GREY: "others",
    }
    used = {style.colours(key.kind) for key in dag.order}
    items: list[Item] = [("circle", meaning, c) for c, meaning in meanings.items() if c in used]
    return [*items, ("arrow", arrow, style.PLAIN), *list_branches(dag.graph)]


def list_branches(graph: FactorGraph) -> list[Item]:
    """Return the numbers of joints with their names, where a tree has branches that look alike; else nothing."""
    joints = {v.index: (v.parent, v.key.name) for v in graph.variables.values() if v.key.kind == "qdd"}
    parents = Counter(parent for parent, _ in joints.values())
    if not parents or max(parents.values()) == 1:
        return []
    return [("", f"{index}: {escape_mathtext(name)}", style.PLAIN) for index, (_, name) in sorted(joints.items())]
