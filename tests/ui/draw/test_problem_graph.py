"""Factor graphs over time: the names of factors cover neither edges nor nodes."""

from __future__ import annotations

from functools import cache

import pytest

import screwgraph as sg
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Position
from screwgraph.optimize import Problem, Variables, Vector, soft
from screwgraph.ui.draw.bezier_curves import sample_curve
from screwgraph.ui.draw.problem_graph import problem_scene
from screwgraph.ui.draw.scene import Scene, text_box
from tests.ui.draw.helpers import text_boxes


@cache
def planned(steps: int, collocation: str) -> Scene:
    """Return the graph of a cart-pole's plan."""
    options = {"costs": (Effort(),), "actuated": ("x",), "collocation": collocation}
    goal = Position({"x": 0.2})
    task = Task(sg.load("cart_pole"), horizon(steps, dt=0.1), start=(0, 0), goals=(goal,), **options)
    return problem_scene(sg.Planner(task).transcription.problem)


@pytest.mark.parametrize("collocation", ["trapezoidal", "hermite_simpson"])
@pytest.mark.parametrize("steps", [2, 4])
@pytest.mark.sampled(3)
def test_names_of_factors_cover_no_edge_and_no_node(steps: int, collocation: str) -> None:
    scene = planned(steps, collocation)
    names = [text for text in scene.texts if text.size == 8.0]
    assert len(names) == sum(node.shape == "dot" for node in scene.nodes) - 1  # the legend has a dot, too
    for text in names:
        left, top, right, bottom = text_box(text)
        for edge in scene.edges:
            x, y = sample_curve(edge.points, 1.0).T
            covered = (left < x) & (x < right) & (top < y) & (y < bottom)
            assert not covered.any(), (text, edge.source, edge.target)
        for node in scene.nodes:
            x, y = node.at
            assert not (left < x < right and top < y < bottom), (text, node.name)


def test_names_of_factors_do_not_overlap() -> None:
    boxes = text_boxes(planned(4, "trapezoidal"))
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert b[0] >= a[2] or a[0] >= b[2] or b[1] >= a[3] or a[1] >= b[3]


def test_factors_of_the_same_unknowns_stand_apart() -> None:
    x = Variables("x", Vector(1), 2)
    nodes = problem_scene(Problem([soft(lambda x: x, x, name=name) for name in ("first", "second")])).nodes
    assert len({node.at for node in nodes if node.shape == "dot"}) == 4 + 1  # the legend has a dot, too
