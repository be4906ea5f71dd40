"""The cluster tree: boxes of links that move together, in the tree that they form."""

from __future__ import annotations

from itertools import combinations

import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.graph import FactorGraph, clusters, dynamics_graph
from screwgraph.model.formats import load
from screwgraph.ui.draw.clusters import clusters_scene
from screwgraph.ui.draw.scene import Box, Node, Scene
from tests.ui.draw.helpers import runs_over

CLOSED = ("belt_leg", "differential", "five_bar", "four_bar_linkage", "stewart_gough")


def graph(name: str) -> FactorGraph:
    return dynamics_graph(load(name))


def within(scene: Scene, box: Box) -> set[str]:
    """Return the names of the nodes that lie in a box as a whole."""
    (left, top), right, bottom = box.at, box.at[0] + box.width, box.at[1] + box.height

    def lies_in(node: Node) -> bool:
        (x, y), r = node.at, node.radius
        return left < x - r and x + r < right and top < y - r and y + r < bottom

    return {node.name for node in scene.nodes if lies_in(node)}


@pytest.mark.parametrize("name", [*CLOSED, "a1"])
@pytest.mark.sampled(3)
def test_each_box_holds_the_links_and_constraints_of_its_cluster(name):
    found = clusters(graph(name))
    scene = clusters_scene(graph(name))
    expected = [
        {*(f"link:{joint.child}" for joint in cluster.joints), *map(str, cluster.multipliers)} for cluster in found
    ]
    assert [within(scene, box) for box in scene.boxes] == [{f"link:{found[0].outputs[0]}"}, *expected]


@pytest.mark.parametrize("name", [*CLOSED, "a1"])
@pytest.mark.sampled(3)
def test_boxes_hang_below_those_that_carry_them_and_do_not_overlap(name):
    scene, found = clusters_scene(graph(name)), clusters(graph(name))
    for cluster, box in zip(found, scene.boxes[1:], strict=True):
        (carrier,) = (b for b in scene.boxes if f"link:{cluster.outputs[0]}" in within(scene, b))
        assert box.at[1] > carrier.at[1] + carrier.height
    for a, b in combinations(scene.boxes, 2):
        beside = a.at[0] + a.width < b.at[0] or b.at[0] + b.width < a.at[0]
        assert beside or a.at[1] + a.height < b.at[1] or b.at[1] + b.height < a.at[1]


def test_the_rotors_of_a_leg_join_what_they_are_geared_to():
    """A belt nests in a gear: knee and ankle are one cluster (Chignoli et al., 2023, Fig. 8)."""
    scene = clusters_scene(graph("belt_leg"))
    circles = [within(scene, box) for box in scene.boxes]
    assert {len(found) for found in circles} == {1, 2 + 1, 4 + 2}
    belt = {edge.target for edge in scene.edges if edge.source == "lambda:ankle_belt"}
    assert belt == {"link:shank", "link:foot", "link:ankle_rotor"}


def test_a_loop_joins_the_links_at_its_ends():
    scene = clusters_scene(graph("five_bar"))
    (loop,) = load("five_bar").loops
    ends = {edge.target for edge in scene.edges if edge.source.startswith("lambda")}
    assert ends == {f"link:{loop.predecessor}", f"link:{loop.successor}"}


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.sampled(3)
def test_links_have_the_numbers_of_the_other_figures(name):
    scene, base = clusters_scene(graph(name)), load(name).links[0].name
    numbers = {node.name.removeprefix("link:"): node.text for node in scene.nodes if node.text}
    of_figures = {key.name: str(v.index) for key, v in graph(name).variables.items() if key.kind == "twist"}
    assert numbers == {base: "0", **{link: of_figures[link] for link in numbers if link != base}}


@pytest.mark.parametrize("name", CLOSED)
def test_no_edge_runs_over_a_node(name):
    assert runs_over(clusters_scene(graph(name))) == []


@pytest.mark.parametrize("name", ["four_bar_angle", "slider_crank", "double_pendulum", "parallel_robot"])
def test_bodies_of_mechanisms_are_links_that_hang_on_the_ground(name):
    mechanism = sg.load_mechanism(name)
    scene = clusters_scene(dynamics_graph(mechanism))
    circles = {node.name for node in scene.nodes if node.text}
    assert circles == {"link:ground", *(f"link:{body.name}" for body in mechanism.bodies)}
    assert within(scene, scene.boxes[0]) == {"link:ground"}
    assert set.union(*(within(scene, box) for box in scene.boxes)) == {
        node.name for node in scene.nodes if not node.name.startswith("legend")
    }
    assert runs_over(scene) == []


def test_graphs_without_joints_have_no_links_to_cluster():
    with pytest.raises(InputError, match="no joints between links"):
        clusters_scene(FactorGraph({}, ()))


@pytest.mark.parametrize("name", ["five_bar", "four_bar_linkage"])
def test_the_box_of_a_cluster_stands_amid_below_the_one_that_carries_it(name):
    carrier, own = clusters_scene(graph(name)).boxes
    assert own.width > carrier.width + 1.0
    assert own.at[0] + own.width / 2 == pytest.approx(carrier.at[0] + carrier.width / 2)
