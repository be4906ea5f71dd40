"""Which joints form clusters."""

from __future__ import annotations

from dataclasses import replace

import pytest

import screwgraph as sg
from screwgraph.graph import Key, clusters, dynamics_graph
from screwgraph.model.formats import load
from screwgraph.model.robot import Coupling
from tests.robots import robot_file


def names(found):
    return [{joint.name for joint in cluster.joints} for cluster in found]


def test_every_joint_of_a_tree_is_a_cluster_of_its_own():
    robot = load("puma560")
    assert names(clusters(dynamics_graph(robot))) == [{name} for name in robot.joint_names]
    assert all(not cluster.multipliers for cluster in clusters(dynamics_graph(robot)))


def test_a_loop_ties_the_joints_of_both_branches():
    (cluster,) = clusters(dynamics_graph(load("five_bar")))
    assert {joint.name for joint in cluster.joints} == {"joint1", "joint2", "joint3", "joint4"}
    assert cluster.multipliers == (Key("lambda", "joint5"),)
    assert cluster.outputs == ("base",)


def test_sets_that_share_a_joint_are_one_cluster():
    robot = load("belt_leg")
    found = clusters(dynamics_graph(robot))
    assert sum(len(cluster.multipliers) for cluster in found) == len(robot.couplings)
    assert sorted(joint.name for cluster in found for joint in cluster.joints) == sorted(robot.joint_names)


def test_a_coupling_ties_the_joints_between_those_it_names():
    arm = load("puma560")
    tied = replace(arm, couplings=(Coupling("belt", {"joint2": 1.0, "joint4": -1.0}),))
    expected = [{"joint1"}, {"joint2", "joint3", "joint4"}, {"joint5"}, {"joint6"}]
    assert names(clusters(dynamics_graph(tied))) == expected
    assert clusters(dynamics_graph(tied))[1].outputs == (arm.joint("joint2").parent,)


def test_a_graph_tells_the_clusters_of_its_robot():
    robot = load("belt_leg")
    graph = sg.dynamics_graph(robot).given("q", "qd", "qdd")
    assert names(clusters(graph)) == names(clusters(dynamics_graph(robot)))


@pytest.mark.parametrize("file", ["geared_leg", "crank_rocker", "mini_cheetah", "mit_humanoid", "planar_leg_linkage"])
def test_every_cluster_hangs_on_one_link_of_an_earlier_one(file):
    robot = load(robot_file(f"{file}.urdf"))
    reached = {robot.links[0].name}
    for cluster in clusters(dynamics_graph(robot)):
        moved = {joint.child for joint in cluster.joints}
        assert {joint.parent for joint in cluster.joints} - moved == {*cluster.outputs}
        (output,) = cluster.outputs
        assert output in reached
        reached |= moved
    assert reached == {link.name for link in robot.links}
