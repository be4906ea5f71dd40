"""Pivots tell which answers are not to be validated; where one vanishes no finite number comes out."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph import factor, vector_variable
from tests.graph.passes.test_passes import every_joint


@pytest.mark.parametrize("ordering", ["aba", "composite"])
@pytest.mark.parametrize("name", ["rr", "puma560", "panda"])
@pytest.mark.sampled(3)
def test_regular_robots_have_no_small_pivots(name, ordering):
    rng = np.random.default_rng(0)
    robot = sg.load(name)
    f = sg.forward_dynamics(robot, ordering=ordering)
    found = f.pivots(rng.uniform(-3, 3, (100, robot.nv)), *rng.normal(size=(2, 100, robot.nv)))
    assert found.shape == (100,)
    assert found.min() > 0.02
    assert found.max() <= 1.0


def test_nor_has_a_robot_with_every_type_of_joint():
    robot = every_joint()
    rng = np.random.default_rng(1)
    q = np.array([robot.random(rng) for _ in range(20)])
    assert sg.forward_dynamics(robot, ordering="aba").pivots(q, *rng.normal(size=(2, 20, robot.nv))).min() > 0.01


def test_functions_that_divide_by_constants_have_pivots_of_one():
    f = sg.inverse_dynamics(sg.load("puma560"))
    assert f.pivots(*np.zeros((3, 6))) == 1.0
    assert f.pivots(np.zeros((4, 1, 6)), np.zeros((5, 6)), np.zeros(6)).shape == (4, 5)


@pytest.fixture(scope="module")
def noncollocated() -> sg.Function:
    """The first joint's motion from what happens at the second: divides by M21 = m L^2 (1/3 + cos(q2) / 2)."""
    graph = sg.dynamics_graph(sg.load("rr")).given("q", "qd", "qdd:joint2", "tau:joint2")
    return sg.compile(graph, ("qdd", "tau"))


def test_a_pivot_that_vanishes_at_some_states_is_found(noncollocated):
    f = noncollocated
    q2 = np.linspace(-np.pi, np.pi, 101)
    q = np.stack([np.ones(101), q2], axis=1)
    M21 = np.abs(1 / 3 + np.cos(q2) / 2)
    usual = np.median(np.abs(1 / 3 + np.cos(np.random.default_rng(0).uniform(-np.pi, np.pi, 100000)) / 2))
    expected = np.minimum(1.0, M21 / np.maximum(usual, np.maximum(1 / 3, np.abs(np.cos(q2)) / 2)))
    np.testing.assert_allclose(f.pivots(q, [0.1, 0.2], [0.3], [0.4]), expected, rtol=0.05)
    singular = np.array([1.0, np.arccos(-2 / 3)])
    assert f.pivots(singular, [0.1, 0.2], [0.3], [0.4]) < 1e-14


def test_small_pivots_go_with_lost_digits(noncollocated):
    """The nearer to zero, the further the answer's own equations are from being met."""
    f, robot = noncollocated, sg.load("rr")
    inverse = sg.inverse_dynamics(robot)
    qd, given = np.array([0.1, 0.2]), np.array([0.4])
    for away, lost in ((1e-2, 1e-11), (1e-6, 1e-7), (1e-10, 1e-3)):
        q = np.array([1.0, np.arccos(-2 / 3) + away])
        qdd, tau = f(q, qd, [0.3], given)
        met = inverse(q, qd, np.array([qdd[0], 0.3]))
        assert abs(met[0] - tau[0]) < lost * abs(tau[0])
        assert f.pivots(q, qd, [0.3], given) == pytest.approx(np.sqrt(5) / 6 * away / 0.37, rel=0.2)


@factor(linear=("x", "y"), cites="a test")
def lever(x, y, q):
    """A force at a lever of length q."""
    return q * x - y


def test_where_a_pivot_vanishes_the_answer_is_not_a_number():
    q, x, y = (vector_variable(kind, "lever", 1, 1, 0) for kind in ("qd", "x", "y"))
    law = sg.Factor(lever, {"x": x.key, "y": y.key, "q": q.key}, 1, 1)
    f = sg.compile(sg.FactorGraph({v.key: v for v in (q, x, y)}, (law,)).given("qd", "y"), "x")
    lengths, forces = np.array([[2.0], [1e-3], [0.0], [-0.0], [0.0]]), np.array([[1.0], [1.0], [1.0], [1.0], [0.0]])
    with pytest.warns(
        RuntimeWarning, match="solve: no number at 3 of 5 states, first 2: the equations do not determine"
    ):
        found = f(lengths, forces)
    np.testing.assert_array_equal(found[:, 0], [0.5, 1000.0, np.nan, np.nan, np.nan])
    pivots = f.pivots(lengths, forces)
    assert pivots[0] == 1.0
    assert 1e-3 < pivots[1] < 2e-3
    np.testing.assert_array_equal(pivots[2:], 0.0)
    with np.errstate(all="raise"):
        assert f.pivots([np.nan], [1.0]) != f.pivots([np.nan], [1.0])


def test_arguments_are_checked_as_in_a_call(noncollocated):
    with pytest.raises(sg.InputError, match="takes 4 arguments"):
        noncollocated.pivots([0.0, 0.0])
    with pytest.raises(sg.InputError, match="qdd has the shape"):
        noncollocated.pivots([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0])


def test_derivatives_have_the_pivots_of_their_function(noncollocated):
    state = np.array([1.0, 0.4]), np.array([0.1, 0.2]), np.array([0.3]), np.array([0.4])
    near = np.array([1.0, np.arccos(-2 / 3) + 1e-3]), *state[1:]
    for values in (state, near):
        expected = noncollocated.pivots(*values)
        assert noncollocated.jacobian("q").pivots(*values) == pytest.approx(expected, rel=1e-6)
    assert expected < 0.01
    singular = np.array([1.0, np.arccos(-2 / 3)]), *state[1:]
    assert noncollocated.jacobian("q").pivots(*singular) < 1e-13


def test_wrenches_and_matrices_are_arguments_too():
    f = sg.forward_dynamics(sg.load("rr"), ordering="aba", external_wrenches=("tool", "link1"))
    assert f.pivots(*np.zeros((3, 2)), np.zeros((7, 2, 6))).shape == (7,)
