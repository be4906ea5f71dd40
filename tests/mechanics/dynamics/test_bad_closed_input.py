"""Bad closed chains: one line that names the thing."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, Loop, Robot, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia, from_xyz_rpy

ROD = SpatialInertia.of_body(1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.0, 0.1, 0.1]))
FUNCTIONS = {
    "inverse": sg.inverse_dynamics,
    "forward": sg.forward_dynamics,
    "mass": sg.mass_matrix,
    "bias": sg.bias_forces,
}


def two_rods(x: float, y: float) -> Robot:
    """Two rods of 1 m whose end is pinned at (x, y): a triangle, or nothing that closes."""
    joints = [
        Joint("first", Revolute((0, 0, 1)), "base", "a"),
        Joint("second", Revolute((0, 0, 1)), "a", "b", from_xyz_rpy(np.array([1.0, 0.0, 0.0]), np.zeros(3))),
    ]
    ends = (from_xyz_rpy(np.array(at), np.zeros(3)) for at in ([1.0, 0.0, 0.0], [x, y, 0.0]))
    loop = Loop("pin", Revolute((0, 0, 1)), "b", "base", *ends)
    return tree("triangle", [Link("base"), Link("a", ROD), Link("b", ROD)], joints, loops=[loop])


@pytest.mark.parametrize("make", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_locked_mechanism_has_no_independent_coordinates(make):
    with pytest.raises(sg.InputError, match=r"robot 'triangle' is locked: its mobility is 0: .* \(check their axes"):
        make(two_rods(0.8, 0.9), coordinates="independent")


def test_a_locked_mechanism_does_not_accelerate():
    robot = two_rods(0.8, 0.9)
    q = robot.close_loops([-0.4, 1.9])
    np.testing.assert_allclose(sg.forward_dynamics(robot)(q, [0, 0], [3.0, -2.0]), 0.0, atol=1e-13)
    with pytest.raises(sg.InputError, match="locked"):
        sg.inverse_dynamics(robot)


@pytest.mark.parametrize("make", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_loop_that_cannot_close_is_named_with_its_gap(make):
    with pytest.raises(
        sg.InputError, match=r"no position closes 'pin': .* loop-closure error of at least 0\.5 \(translation"
    ):
        make(two_rods(2.5, 0.0), coordinates="independent")


def test_more_accelerations_than_freedoms_cannot_be_given():
    with pytest.raises(
        sg.InputError, match=r"accelerations of joint1, joint2, joint3 cannot all .* 2 degrees of freedom"
    ):
        sg.hybrid_dynamics(sg.load("five_bar"), ["joint1", "joint2", "joint3"])


def test_joints_that_are_tied_to_each_other_cannot_both_be_given():
    with pytest.raises(sg.InputError, match="knee, knee_motor cannot all be given"):
        sg.hybrid_dynamics(sg.load("belt_leg"), ["knee", "knee_motor"])
