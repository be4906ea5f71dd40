"""Where a pivot vanishes: a stretched branch of the five-bar, by whose other branch it is driven."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from examples.chignoli_2023_robots import chain

import screwgraph as sg
from screwgraph.model.robot import Coupling, Transmission, constraint_jacobian, without_loops
from screwgraph.spatial import null_space
from tests.closed_oracle import projected
from tests.oracle import oracle

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
    with pytest.warns(
        RuntimeWarning, match="do not determine the motion of the others .take robot.with_independent_joints"
    ):
        assert np.isnan(sg.inverse_dynamics(robot)(states[1], rest, rest)).any()
    with pytest.warns(RuntimeWarning, match="take robot.with_independent_joints"):
        assert np.isnan(sg.mass_matrix(robot, coordinates="independent")(states[1])).any()


def motions(robot, states):
    """Return velocities and accelerations that the loops allow at each state, and bases of the former."""
    rng, forward = np.random.default_rng(3), projected(robot)
    N = [null_space(constraint_jacobian(robot, q), rank=robot.mobility.rank) for q in states]
    qd = np.array([basis @ rng.standard_normal(2) for basis in N])
    qdd = np.array([forward(q, v, rng.standard_normal(4)) for q, v in zip(states, qd, strict=True)])
    return qd, qdd, np.array(N)


def least(robot, N, needed, B, weights):
    """Return the efforts u of least sum weight u^2 with N' B u = N' needed."""
    scale = np.asarray(weights) ** -0.5
    return scale * (np.linalg.pinv(N.T @ B * scale) @ (N.T @ needed))


@pytest.mark.parametrize("by_actuators", [False, True])
def test_least_torques_of_a_whole_motion_need_no_independent_joints(robot, states, by_actuators):
    """Where these do not determine the motion, accelerations of all joints are read."""
    weights, B = {"joint1": 4.0, "joint2": 1.0, "joint3": 0.5}, np.eye(4)[:, :3]
    if by_actuators:
        geared = (Transmission(Coupling(name, {name: 2.0, "joint4": 0.3 * i})) for i, name in enumerate(weights))
        robot = replace(robot, actuators=tuple(geared))
        B = np.array(robot.actuation_matrix(states[0]))
    qd, qdd, N = motions(robot, states)
    actuated = None if by_actuators else list(weights)
    f = sg.inverse_dynamics(robot, weights=weights, actuated=actuated, actuators=by_actuators)
    tree = oracle(without_loops(robot))
    needed = [tree.inverse_dynamics(*state) for state in zip(states, qd, qdd, strict=True)]
    expected = np.array([least(robot, *pair, B, list(weights.values())) for pair in zip(N, needed, strict=True)])
    expected = expected if by_actuators else expected @ B.T
    np.testing.assert_allclose(f(states, qd, qdd), expected, atol=1e-9 * np.abs(expected).max())
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_allclose(again(states[1], qd[1], qdd[1]), expected[1], atol=1e-9 * np.abs(expected).max())
    slope, more = f.jacobian("qdd")(states, qd, qdd), N @ np.ones(2)
    changed = f(states, qd, qdd + more) - expected
    np.testing.assert_allclose(np.einsum("nij,nj->ni", slope, more), changed, atol=1e-8 * np.abs(expected).max())


def test_accelerations_that_loops_do_not_allow_have_no_least_torques(robot, states):
    f = sg.inverse_dynamics(robot, actuated=robot.joint_names[:3])
    qd, qdd, _ = motions(robot, states)
    of_the_independent = qdd * np.isin(robot.joint_names, DRIVEN)
    with pytest.warns(RuntimeWarning, match="1 of 3 states, first 1: .*give accelerations of all joints"):
        found = f(states, qd, of_the_independent)
    assert np.isnan(found).any(axis=1).tolist() == [False, True, False]
    np.testing.assert_allclose(found[[0, 2]], f(states, qd, qdd)[[0, 2]], rtol=1e-8)


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
