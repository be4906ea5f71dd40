"""Second derivatives in closed form are those that sweeps through the first derivatives find."""

# pyright: reportAttributeAccessIssue=false
# Pinocchio's compiled module declares no types.
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.compiler import Function
from screwgraph.compiler.derivatives.tape_derivatives import differentiate_program
from screwgraph.model.robot import Robot
from screwgraph.model.robot.joints import Helical, Prismatic, Revolute, Spherical
from tests.compiler.derivatives.analytic.test_closed_forms import branching, inputs_of
from tests.oracle import pinocchio_model


@pytest.fixture(scope="module")
def robot() -> Robot:
    turns = (Revolute((0.0, 0.6, 0.8)), Prismatic((0.6, 0.0, 0.8)), Revolute(), Helical((0.0, 0.0, 1.0), 0.2))
    return branching(*turns, Revolute((1.0, 0.0, 0.0)), Prismatic((0.0, 1.0, 0.0)))


def assert_both_ways_agree(function: Function, robot: Robot, first: tuple[str, ...], *by: str) -> None:
    once = function.jacobian(*first)
    analytic = once.origin.analytic
    assert analytic is not None
    assert analytic.covers(by)
    closed = analytic.jacobian(once.program, once.arguments, by)
    swept = differentiate_program(once.program, once.arguments, by, None)
    state = inputs_of(function, robot)
    found, expected = (np.array(code.evaluate(state), dtype=float) for code in (closed, swept))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("first", [("q", "qd"), ("qdd", "q")])
def test_of_inverse_dynamics(robot, first):
    assert_both_ways_agree(sg.inverse_dynamics(robot), robot, first, "qd", "q", "qdd")


def test_of_inverse_dynamics_under_external_wrenches(robot):
    f = sg.inverse_dynamics(robot, external_wrenches=("body2", "body5"))
    assert_both_ways_agree(f, robot, ("q",), "q", "qd")
    analytic = f.jacobian("q").origin.analytic
    assert analytic is not None
    assert not analytic.covers(("external_wrenches",))


def test_of_bias_forces(robot):
    assert_both_ways_agree(sg.bias_forces(robot), robot, ("q", "qd"), "q", "qd")


def test_differences_of_pinocchios_first_derivatives():
    robot = sg.load("panda")
    model, data = pinocchio_model(robot)
    q, qd, qdd = np.random.default_rng(3).standard_normal((3, 7))
    h, found = 1e-4, sg.inverse_dynamics(robot).jacobian("q", "qd").jacobian("q", "qd")(q, qd, qdd)

    def first(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        by_q, by_qd, _ = pin.computeRNEADerivatives(model, data, q, qd, qdd)
        return np.array([by_q, by_qd + np.diag([joint.damping for joint in robot.joints])])

    steps = [(h * e, 0.0 * e) for e in np.eye(7)], [(0.0 * e, h * e) for e in np.eye(7)]
    by_each = [[(first(q + x, qd + v) - first(q - x, qd - v)) / (2.0 * h) for x, v in pairs] for pairs in steps]
    expected = np.moveaxis(np.array(by_each), 1, -1).reshape(4, 7, 7, 7)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * np.abs(expected).max())


def test_of_a_link_whose_inertia_is_an_input():
    robot = sg.load("puma560")
    f = sg.inverse_dynamics(robot, parameters=["link3"])
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.standard_normal((3, robot.nv))
    values = np.array(f.arguments[-1].nominal)
    live = f.jacobian("q", "qd").jacobian("q", "qdd")
    fixed = sg.inverse_dynamics(robot).jacobian("q", "qd").jacobian("q", "qdd")
    for found, expected in zip(live(q, qd, qdd, values), fixed(q, qd, qdd), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max(initial=1.0))
    assert np.abs(live(q, qd, qdd, 1.5 * values)[0] - live(q, qd, qdd, values)[0]).max() > 1e-3


def test_other_functions_and_joints_are_left_to_sweeps(robot):
    assert sg.forward_dynamics(robot).jacobian("q").origin.analytic is None
    assert sg.inverse_dynamics(branching(Revolute(), Spherical(), Revolute())).jacobian("q").origin.analytic is None
    assert sg.inverse_dynamics(robot).jacobian("q").jacobian("q").origin.analytic is None


def test_derivatives_by_two_positions_are_equal_in_either_order():
    f = sg.inverse_dynamics(sg.load("panda")).jacobian("q").jacobian("q")
    state = np.random.default_rng(4).standard_normal((3, 7))
    H = f(*state)
    np.testing.assert_array_equal(H, np.swapaxes(H, 1, 2))
