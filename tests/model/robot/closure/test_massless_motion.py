"""Joints that move without inertia: in trees, and as loops let them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, Robot, sort_robot
from screwgraph.model.robot.joints import Revolute
from tests.closed_oracle import projected
from tests.model.robot.closed_instances import planar_four_bar


def light(robot: Robot, *names: str) -> Robot:
    """The robot with massless links of these names."""
    return replace(robot, links=tuple(Link(link.name) if link.name in names else link for link in robot.links))


def with_vane(robot: Robot) -> Robot:
    """The robot with a massless vane on its rocker."""
    joints = (*robot.joints, Joint("hinge", Revolute(), "rocker", "vane"))
    return sort_robot(replace(robot, links=(*robot.links, Link("vane")), joints=joints))


def test_a_massless_rocker_moves_with_its_loop():
    """In the tree without the loop, nothing would determine its acceleration."""
    robot = light(planar_four_bar(), "rocker")
    q = robot.close_loops([0.9, -0.5, 0.8])
    qd = robot.complete_velocity(q, np.full(robot.mobility.freedom, 0.7))
    expected = projected(robot)(q, qd, np.ones(3))
    np.testing.assert_allclose(sg.forward_dynamics(robot)(q, qd, np.ones(3)), expected, rtol=1e-9)


def test_the_joint_that_no_inertia_holds_is_named_and_those_of_the_loop_are_not():
    with pytest.raises(sg.EliminationError) as caught:
        sg.forward_dynamics(with_vane(light(planar_four_bar(), "rocker")))
    assert str(caught.value).startswith("the acceleration of joint 'hinge' is not determined: ")


def test_a_loop_without_any_inertia_is_named_whole():
    with pytest.raises(sg.EliminationError, match="of joint 'joint1', 'joint2', 'joint3' is not determined"):
        sg.forward_dynamics(light(planar_four_bar(), "crank", "coupler", "rocker"))
