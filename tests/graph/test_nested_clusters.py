"""Clusters on several links of another one: which loops are solved one after the other, and what that gives."""

from __future__ import annotations

import numpy as np
import pytest
from examples.chignoli_2023_robots import chain, parallelograms, scissors

import screwgraph as sg
from screwgraph.graph import clusters, dynamics_graph, nested_clusters
from screwgraph.model.formats import load
from screwgraph.model.robot import Robot
from tests.agreement import assert_agree, interpreted
from tests.closed_oracle import motion

MECHANISMS = {"parallelograms": parallelograms, "scissors": scissors}


def test_a_pair_of_bars_stands_on_both_bars_of_the_one_before():
    graph = dynamics_graph(scissors(3))
    assert len(clusters(graph)) == 1
    found = nested_clusters(graph)
    assert [{joint.child for joint in c.joints} for c in found] == [{"slider", "a1", "b1"}, {"a2", "b2"}, {"a3", "b3"}]
    assert [set(c.outputs) for c in found] == [{"base"}, {"a1", "b1"}, {"a2", "b2"}]
    assert [len(c.multipliers) for c in found] == [1, 1, 1]


def test_an_arm_and_its_rod_stand_on_the_arm_and_the_plate_before():
    found = nested_clusters(dynamics_graph(parallelograms(3)))
    assert [set(c.outputs) for c in found] == [{"base"}, {"arm1", "plate1"}, {"arm2", "plate2"}]


@pytest.mark.parametrize(
    "robot",
    [chain("belt", 2), chain("four_bar", 2), load("five_bar"), load("belt_leg"), load("differential")],
    ids=repr,
)
def test_clusters_with_one_output_stay_what_they_are(robot):
    graph = dynamics_graph(robot)
    assert [c.joints for c in nested_clusters(graph)] == [c.joints for c in clusters(graph)]


def test_loops_that_are_solved_together_stay_together():
    """With a bar instead of the slider as the driver, no loop determines its own dependent rates."""
    robot = scissors(3).with_independent_joints(["a3_joint"])
    found = nested_clusters(dynamics_graph(robot))
    assert sum(len(c.multipliers) for c in found) == 3
    for cluster in found:
        dependent = [joint for joint in cluster.joints if joint.name != "a3_joint"]
        assert len(dependent) == 2 * len(cluster.multipliers)


@pytest.mark.parametrize("name", MECHANISMS)
def test_both_mechanisms_accelerate_as_the_projected_equations_of_their_tree_say(name):
    robot = MECHANISMS[name](3)
    states = motion(robot, 4, everywhere=True)
    f = sg.forward_dynamics(robot, ordering="nested_embedding")
    assert_agree(interpreted(f, states.q, states.qd, states.tau), states.qdd)


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_such_a_cluster_hands_on_does_not_grow_with_their_number(name):
    """Cliques hold a bounded number of scalars: the motions of two links, whatever stands on these."""

    def width(robot: Robot, order: str) -> int:
        return sg.eliminate(sg.dynamics_graph(robot).given("q", "qd", "tau"), order).cliques.width

    make = MECHANISMS[name]
    assert width(make(3), "nested_embedding") == width(make(5), "nested_embedding")
    assert np.diff([width(make(n), "embedding") for n in (3, 5)])[0] > 0
