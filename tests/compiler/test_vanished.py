"""Where a pivot vanishes: a stretched branch of the five-bar, by whose other branch it is driven."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from examples.chignoli_2023_robots import chain

import screwgraph as sg
from tests.closed_oracle import projected

DRIVEN = ("joint1", "joint3")
"""Where the other branch is stretched, its tip's position does not tell how it moves."""


@pytest.fixture(autouse=True)
def no_search(monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")


@pytest.fixture
def robot():
    return sg.load("five_bar").with_independent_joints(DRIVEN)


@pytest.fixture
def states(robot):
    """Positions, the second one with a stretched branch, at which the mechanism is regular."""
    x_axis = robot.joint("joint4").origin[:2, 0]
    stretched = -np.arctan2(x_axis[1], x_axis[0])
    guesses = robot.complete([2.2, -1.15], [2.2, 0.9, -1.15, 0.34]) + np.zeros((3, 1))
    guesses[1:, 3] = stretched, stretched + 0.3
    return np.array([robot.close_loops(q, independent=["joint2", "joint4"]) for q in guesses])


def test_automatic_orders_are_right_where_independent_joints_do_not_determine_the_motion(robot, states):
    tau, rest = np.array([1.0, -0.5, 0.3, 0.2]), np.zeros(4)
    f, right = sg.forward_dynamics(robot), projected(robot)
    expected = np.array([right(q, rest, tau) for q in states])
    np.testing.assert_allclose(f(states, rest, tau), expected, rtol=1e-9)
    np.testing.assert_allclose(f(states[1], rest, tau), expected[1], rtol=1e-9)
    out = np.zeros((3, 4))
    np.testing.assert_allclose(f(states, rest, tau, out=out), expected, rtol=1e-9)
    np.testing.assert_allclose(out, expected, rtol=1e-9)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(f))(states[1], rest, tau), expected[1], rtol=1e-9)


def test_derivatives_are_right_there(robot, states):
    """Accelerations are linear in torques: their derivative tells them."""
    tau, rest = np.array([1.0, -0.5, 0.3, 0.2]), np.zeros(4)
    J, right = sg.forward_dynamics(robot).jacobian("tau")(states, rest, tau), projected(robot)
    for q, jacobian in zip(states, J, strict=True):
        np.testing.assert_allclose(jacobian @ tau, right(q, rest, tau) - right(q, rest, 0.0 * tau), atol=1e-9)


def test_a_named_order_says_what_to_do(robot, states):
    f = sg.forward_dynamics(robot, ordering="embedding")
    rest = np.zeros(4)
    with pytest.warns(RuntimeWarning, match=r'1 of 3 states, first 1: the mechanism is regular .*ordering="auto"'):
        found = f(states, rest, rest)
    assert np.isnan(found).all(axis=1).tolist() == [False, True, False]
    with pytest.warns(RuntimeWarning, match="no number: the mechanism is regular"):
        f(states[1], rest, rest)
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        f(states[1], rest, rest)


def test_torques_that_cannot_cause_a_motion_are_not_numbers(robot, states):
    """Also in "auto": the independent joints alone cannot drive the stretched branch."""
    rest = np.zeros(4)
    with pytest.warns(RuntimeWarning, match="do not determine the motion of the others .choose others"):
        assert np.isnan(sg.inverse_dynamics(robot)(states[1], rest, rest)).any()
    with pytest.warns(RuntimeWarning, match="choose others"):
        assert np.isnan(sg.mass_matrix(robot, coordinates="independent")(states[1])).any()


def test_singular_mechanisms_are_called_so():
    """A parallelogram that lies flat may fold either way."""
    robot = chain("four_bar", 1, floating=False)
    zero = np.zeros(robot.nv)
    with pytest.warns(RuntimeWarning, match="the mechanism is singular there"):
        assert np.isnan(sg.forward_dynamics(robot)(robot.neutral(), zero, zero)).any()


def test_what_was_no_number_before_is_no_matter_of_pivots(robot, states):
    f = sg.forward_dynamics(robot)
    with np.errstate(invalid="ignore"):
        assert np.isnan(f(np.full(4, np.nan), np.zeros(4), np.zeros(4))).any()
