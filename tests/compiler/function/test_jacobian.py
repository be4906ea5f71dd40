"""Compiled derivatives are exact: Pinocchio's analytic ones, and differences along every joint's directions."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from tests.agreement import interpreted
from tests.graph.passes.test_passes import every_joint
from tests.oracle import pinocchio_model, to_pin_a, to_pin_q, to_pin_v
from tests.robots import robot_file
from tests.suites import in_suites

ROBOTS = ("puma560", "panda", "a1", in_suites("simple_humanoid"))


def robot_of(name: str) -> sg.Robot:
    if name == "simple_humanoid":
        return sg.load(robot_file(f"{name}.urdf"), base="floating")
    return sg.load(name, base="floating" if name == "a1" else "fixed")


def state_of(robot: sg.Robot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    qd, last = rng.standard_normal((2, robot.nv))
    return robot.random(rng), qd, last


def assert_close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(3)
def test_derivatives_of_inverse_dynamics_are_pinocchios(name):
    robot = robot_of(name)
    model, data = pinocchio_model(robot)
    q, qd, qdd = state_of(robot)
    E = np.array([to_pin_v(robot, q, e, model) for e in np.eye(robot.nv)]).T
    arguments = to_pin_q(robot, q, model), to_pin_v(robot, q, qd, model), to_pin_a(robot, q, qd, qdd, model)
    pin.computeRNEADerivatives(model, data, *arguments)
    by_q, by_qd, by_qdd = interpreted(sg.inverse_dynamics(robot).jacobian("q", "qd", "qdd"), q, qd, qdd)
    assert_close(by_q, E.T @ data.dtau_dq @ E)
    assert_close(by_qd, E.T @ data.dtau_dv @ E)
    assert_close(by_qdd, sg.mass_matrix(robot)(q))


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(2)
def test_derivatives_of_forward_dynamics_are_pinocchios(name):
    robot = robot_of(name)
    model, data = pinocchio_model(robot)
    q, qd, tau = state_of(robot)
    E = np.array([to_pin_v(robot, q, e, model) for e in np.eye(robot.nv)]).T  # a permutation for these robots
    arguments = to_pin_q(robot, q, model), to_pin_v(robot, q, qd, model), E @ tau
    pin.computeABADerivatives(model, data, *arguments)
    by_q, by_qd, by_tau = interpreted(sg.forward_dynamics(robot).jacobian("q", "qd", "tau"), q, qd, tau)
    assert_close(by_q, E.T @ data.ddq_dq @ E)
    assert_close(by_qd, E.T @ data.ddq_dv @ E)
    inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    assert_close(by_tau, E.T @ inverse @ E)


def test_every_joint_is_differentiated_along_its_velocity_coordinates():
    robot = every_joint()
    q, qd, qdd = state_of(robot)
    f = sg.inverse_dynamics(robot, ordering="rnea")
    found = interpreted(f.jacobian("q"), q, qd, qdd)
    step = 1e-6
    for i, direction in enumerate(np.eye(robot.nv)):
        ahead, behind = (moved(robot, q, sign * step * direction) for sign in (1, -1))
        slope = (f(ahead, qd, qdd) - f(behind, qd, qdd)) / (2 * step)
        np.testing.assert_allclose(found[:, i], slope, rtol=0, atol=1e-6 * np.abs(found).max())


def moved(robot: sg.Robot, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Move by a small step in velocity coordinates, quaternions normalised again: exact to second order."""
    parts = []
    for joint in robot.joints:
        old = q[robot.q_slices[joint.name]]
        new = old + np.asarray(joint.type.manifold.rate(old, step[robot.v_slices[joint.name]]), dtype=float)
        if joint.type.nq > joint.type.nv:
            new[-4:] /= np.linalg.norm(new[-4:])
        parts.append(new)
    return np.concatenate(parts)


def test_matrices_and_wrenches_have_derivatives_too():
    robot = sg.load("rr")
    by_q = sg.mass_matrix(robot).jacobian("q")
    q = np.array([0.3, 0.8])
    step = np.array([0.0, 1e-6])
    slope = (sg.mass_matrix(robot)(q + step) - sg.mass_matrix(robot)(q - step)) / 2e-6
    assert by_q(q).shape == (2, 2, 2)
    np.testing.assert_allclose(by_q(q)[:, :, 1], slope, atol=1e-8)
    f = sg.inverse_dynamics(robot, external_wrenches=("tool",))
    state = (q, np.zeros(2), np.zeros(2), np.ones((1, 6)))
    by_wrench = f.jacobian("external_wrenches")(*state)
    np.testing.assert_allclose(by_wrench @ np.ones(6), f(*state) - f(*state[:3], np.zeros((1, 6))), atol=1e-12)


def test_an_unknown_argument_is_refused():
    with pytest.raises(sg.InputError, match="no argument is called 'theta'"):
        sg.bias_forces(sg.load("rr")).jacobian("theta")
