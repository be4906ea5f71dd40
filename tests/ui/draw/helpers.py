"""Robots, eliminations and measures of pictures that the tests of figures share."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from screwgraph.elimination import Dag, eliminate, orderings
from screwgraph.graph import FactorGraph, dynamics_graph
from screwgraph.model.formats import load
from screwgraph.model.robot import Robot
from screwgraph.ui.draw import style
from screwgraph.ui.draw.bezier_curves import sample_curve
from screwgraph.ui.draw.cliques import cliques_scene
from screwgraph.ui.draw.clusters import clusters_scene
from screwgraph.ui.draw.dag import dag_scene
from screwgraph.ui.draw.elimination_steps import steps_scene
from screwgraph.ui.draw.graph import graph_scene
from screwgraph.ui.draw.matrix import matrix_scene
from screwgraph.ui.draw.render import FONTS
from screwgraph.ui.draw.scene import Scene

Box = tuple[float, float, float, float]

ROBOTS = ("rr", "rrr", "puma560", "panda", "iiwa14", "a1", "a1 floating", "cart_pole", "acrobot")
PROBLEMS = {"inverse": ("qdd", "rnea"), "forward": ("tau", "aba"), "mass matrix": ("tau", "crba")}
SCENES = {
    "graph": lambda dag: graph_scene(dag.graph),
    "full graph": lambda dag: graph_scene(whole(dag.graph), gravity=True),
    "known": lambda dag: graph_scene(dag.graph, known="square"),
    "matrix": lambda dag: matrix_scene(dag.graph, dag.order),
    "dag": dag_scene,
    "steps": steps_scene,
    "cliques": cliques_scene,
    "clusters": lambda dag: clusters_scene(dag.graph),
}


@cache
def robot(name: str) -> Robot:
    zoo, _, base = name.partition(" ")
    return load(zoo, base=base or "fixed")


@cache
def graph(name: str) -> FactorGraph:
    return dynamics_graph(robot(name))


@cache
def problem(name: str, which: str) -> Dag:
    given, order = PROBLEMS[which]
    return eliminate(graph(name).given("q", "qd", given), orderings.find_ordering(order))


@cache
def scene(kind: str, name: str, which: str) -> Scene:
    return SCENES[kind](problem(name, which))


def scenes(name: str) -> dict[str, Scene]:
    """All kinds of figures of the inverse problem, and of others those that then look otherwise."""
    found = {f"inverse {kind}": scene(kind, name, "inverse") for kind in SCENES}
    for which, kinds in (("forward", ("graph", "dag", "cliques", "steps")), ("mass matrix", ("dag", "cliques"))):
        found |= {f"{which} {kind}": scene(kind, name, which) for kind in kinds}
    return found


def whole(simplified: FactorGraph) -> FactorGraph:
    """Return a graph as it was before anything was given."""
    return FactorGraph(simplified.variables, (*(d.factor for d in simplified.derived), *simplified.factors))


def text_boxes(scene: Scene) -> list[Box]:
    """Left, top, right and bottom of each text that `render` writes, in its order."""
    written = [(n.text, style.LABEL_SIZE, "center", "center", n.at) for n in scene.nodes]
    written += [(t.text, t.size, t.align, "center_baseline", t.at) for t in scene.texts]
    boxes = []
    for words, size, align, vertical, (x, y) in written:
        if words:
            left, bottom, right, top = _extent(words, size, align, vertical)
            boxes.append((x + left, y - top, x + right, y - bottom))
    return boxes


def rendered_text_boxes(figure: Figure) -> list[Box]:
    """Left, top, right and bottom of each text of a figure, in points from its upper left corner."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    extents = [text.get_window_extent(renderer).extents for text in figure.axes[0].texts]
    height = figure.get_size_inches()[1] * 72
    return [(left, height - top, right, height - bottom) for left, bottom, right, top in extents]


@cache
def _extent(words: str, size: float, horizontal: str, vertical: str) -> Box:
    """Measure a text around the point where it is anchored; each only once, for it takes matplotlib a millisecond."""
    text = Text(0, 0, words, fontsize=size, ha=horizontal, va=vertical, **FONTS)
    text.set_figure(Figure(dpi=72))
    left, bottom, right, top = text.get_window_extent(FigureCanvasAgg(Figure(dpi=72)).get_renderer()).extents
    return float(left), float(bottom), float(right), float(top)


def runs_over(picture: Scene) -> list[tuple[str, str, str]]:
    """Return each edge that touches a node which it does not end at: source, target, node."""
    drawn = [n for n in picture.nodes if not n.name.startswith("legend")]
    centres, radii = np.array([n.at for n in drawn]).reshape(-1, 2), np.array([n.radius for n in drawn])
    found = []
    for edge in picture.edges:
        if edge.source.startswith("legend"):
            continue
        near = np.linalg.norm(sample_curve(edge.points)[:, None] - centres, axis=2).min(axis=0) < radii
        names = {drawn[i].name for i in np.flatnonzero(near)} - {edge.source, edge.target}
        found += [(edge.source, edge.target, name) for name in sorted(names)]
    return found
