"""Armatures as inputs of a robot's graph: the robot that has them in its file."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg


@pytest.mark.parametrize("name", ["rrr", "four_bar_linkage"])
def test_an_armature_that_is_given_is_one_in_the_file(name):
    robot, rng = sg.load(name), np.random.default_rng(3)
    chosen = robot.joint_names[1:]
    graph = sg.dynamics_graph(robot, parameters=[f"armature:{joint}" for joint in chosen])
    given = sg.compile(graph.given("q", "qd", "tau", "armature"), "qdd")
    more = rng.uniform(0.1, 2.0, len(chosen))
    joints = tuple(
        replace(j, armature=j.armature + dict(zip(chosen, more, strict=True)).get(j.name, 0.0)) for j in robot.joints
    )
    q = robot.close_loops(robot.neutral()) if robot.is_closed else rng.normal(size=robot.nq)
    qd, tau = np.zeros(robot.nv), rng.normal(size=robot.nv)
    expected = sg.forward_dynamics(replace(robot, joints=joints))(q, qd, tau)
    np.testing.assert_allclose(given(q, qd, tau, more), expected, rtol=1e-9, atol=1e-9)


def test_passes_keep_it_as_cheap_as_the_constant_one():
    robot = sg.load("rrr")
    graph = sg.dynamics_graph(robot, parameters=[f"armature:{joint}" for joint in robot.joint_names])
    live, constant = sg.compile(graph.given("q", "qd", "tau", "armature"), "qdd"), sg.forward_dynamics(robot)
    assert live.operations.total <= constant.operations.total + 2 * robot.nv


@pytest.mark.parametrize("name", ["mass:link1", "armature:elbow", "joint1"])
def test_other_parameters_of_robots_are_refused(name):
    with pytest.raises(sg.InputError, match=r"cannot be an input of the graph .*armature:joint1"):
        sg.dynamics_graph(sg.load("rrr"), parameters=[name])
