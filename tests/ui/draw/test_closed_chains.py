"""Pictures of closed chains: multipliers stand between the branches that they tie, factors of loops are marked."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from screwgraph.elimination import Dag, eliminate, orderings
from screwgraph.graph import dynamics_graph
from screwgraph.model.formats import load
from screwgraph.ui.draw import style
from screwgraph.ui.draw.dag import dag_scene
from screwgraph.ui.draw.elimination_steps import steps_scene
from screwgraph.ui.draw.graph import graph_scene
from screwgraph.ui.draw.scene import Node, Scene


def eliminated(name: str) -> Dag:
    robot = load(name)
    return eliminate(dynamics_graph(robot).given("q", "qd", "tau"), orderings.find_ordering("embedding"))


def drawn(scene: Scene) -> list[Node]:
    return [node for node in scene.nodes if not node.name.startswith("legend")]


@pytest.mark.parametrize("name", ["five_bar", "belt_leg", "differential"])
@pytest.mark.sampled(3)
def test_nodes_of_closed_chains_do_not_overlap(name):
    dag = eliminated(name)
    for scene in (graph_scene(dag.graph), graph_scene(dynamics_graph(load(name))), dag_scene(dag)):
        for a, b in combinations(drawn(scene), 2):
            assert math.dist(a.at, b.at) > a.radius + b.radius + 1, (a.name, b.name)


def test_a_multiplier_stands_right_of_both_branches_and_between_them():
    nodes = {node.name: node for node in drawn(graph_scene(eliminated("five_bar").graph))}
    (multiplier,) = (node for name, node in nodes.items() if "lambda" in name)
    wrenches = [node.at for name, node in nodes.items() if name.startswith("wrench")]
    assert multiplier.at[0] > max(x for x, _ in wrenches)
    assert min(y for _, y in wrenches) < multiplier.at[1] < max(y for _, y in wrenches)
    assert r"\lambda" in multiplier.text


def test_factors_of_loops_and_couplings_are_marked_and_explained():
    for name, expected in (("five_bar", 1), ("belt_leg", 3), ("puma560", 0)):
        scene = graph_scene(eliminated(name).graph)
        assert sum(node.colours == style.CLOSING for node in drawn(scene)) == expected
        assert any("loop or coupling" in text.text for text in scene.texts) == bool(expected)


def test_the_wrench_of_a_loop_has_the_colour_of_wrenches():
    nodes = {node.name: node for node in drawn(dag_scene(eliminated("five_bar")))}
    (multiplier,) = (node for name, node in nodes.items() if "lambda" in name)
    assert multiplier.colours == style.BLUE
    assert any("loop or coupling" in text.text for text in steps_scene(eliminated("five_bar")).texts)
