"""Signorini's and Coulomb's laws, and momentum, of each step of random motions; stops and friction of joints."""

import numpy as np
import pytest

import screwgraph as sg
from tests.motion.simulation.contacts.bodies import PointJacobians, feet, quadruped, slip_rates, standing, start_axes

DT = 1e-3
ROBOT = quadruped(friction=0.4)
M, BIAS = sg.mass_matrix(ROBOT), sg.bias_forces(ROBOT)


def random_start(seed):
    rng = np.random.default_rng(seed)
    q = standing(ROBOT, 0.37)
    q[7:] += 0.2 * rng.normal(size=8)
    return q, rng.normal(size=ROBOT.nv), rng


@pytest.mark.parametrize("stiffness", [np.inf, 1e6])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_step_obeys_the_laws(seed, stiffness):
    q, qd, rng = random_start(seed)
    mu = 0.4
    contacts = feet(friction=mu, stiffness=stiffness)
    simulator = sg.Simulator(ROBOT, DT, q, qd, contacts=contacts)
    jacobians, touched, slipped = PointJacobians(ROBOT, contacts), 0, 0
    for _ in range(250):
        tau = np.concatenate([np.zeros(6), 60.0 * (standing(ROBOT)[7:] - q[7:]) - qd[6:] + 5.0 * rng.normal(size=8)])
        simulator.step(tau)
        v = start_axes(q, simulator.q, simulator.qd)
        J = jacobians(q)
        F, gaps = simulator.forces, simulator.gaps
        middle = qd
        for _ in range(2):
            drift = np.concatenate([np.zeros(3), np.cross(middle[:3], middle[3:6]), np.zeros(8)])
            force = tau - BIAS(q, middle)
            middle = qd + 0.5 * DT * (drift + np.linalg.solve(M(q), force))
        momentum = M(q) @ (v - qd - DT * drift) - DT * (force + np.einsum("kin,ki->n", J, F))
        np.testing.assert_allclose(momentum, 0.0, atol=1e-10 * max(1.0, DT * np.abs(F).max()))
        u = J @ v + 0.5 * DT * slip_rates(ROBOT, jacobians, q, qd)
        assert simulator.residual < 1e-9
        assert (F[:, 2] >= 0.0).all()
        assert (np.linalg.norm(F[:, :2], axis=1) <= mu * F[:, 2] * (1 + 1e-9) + 1e-9).all()
        closing = np.where(
            gaps > 0.0, gaps / DT, np.maximum(gaps * (1 / DT if stiffness == np.inf else 1e6 / 2e3), -0.5)
        )
        R = 0.0 if stiffness == np.inf else 1.0 / (DT * 2e3)
        opening = u[:, 2] + R * DT * F[:, 2] + closing
        assert (opening > -1e-9).all()
        assert (F[:, 2] * opening < 1e-6).all()
        touched += int((F[:, 2] > 0.0).sum())
        slips = (F[:, 2] > 1.0) & (np.linalg.norm(u[:, :2], axis=1) > 1e-4)
        slipped += int(slips.sum())
        for force, rate in zip(F[slips, :2], u[slips, :2], strict=True):
            np.testing.assert_allclose(force @ rate, -np.linalg.norm(force) * np.linalg.norm(rate), rtol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(F[slips, :2], axis=1), mu * F[slips, 2], rtol=1e-6)
        q, qd = simulator.q.copy(), simulator.qd.copy()
    assert touched > 200
    assert slipped > 20


def test_stops_and_friction_of_joints_hold_beside_contacts():
    q, qd, rng = random_start(3)
    simulator = sg.Simulator(ROBOT, DT, q, qd, contacts=feet(), stops=True, friction=True)
    knees = [ROBOT.q_slices[f"{n}_knee"].start for n in "abcd"]
    lowest = 0.0
    for _ in range(600):
        simulator.step(np.concatenate([np.zeros(6), 4.0 * rng.normal(size=8)]))
        lowest = min(lowest, simulator.q[knees].min())
        assert simulator.residual < 1e-8
    assert lowest == pytest.approx(-2.5, abs=1e-6), "the body falls until knees reach their stops"


def test_dry_friction_of_joints_holds_a_standing_leg():
    robot = quadruped(friction=15.0)
    simulator = sg.Simulator(
        robot,
        DT,
        standing(robot, 0.352),
        contacts=feet(),
        friction=True,
        springs={f"{n}_hip": (400.0, 0.6) for n in "abcd"},
    )
    simulator.step(steps=600)
    start = simulator.q[7:].copy()
    simulator.step(steps=200)
    np.testing.assert_allclose(simulator.q[[8, 10, 12, 14]], start[[1, 3, 5, 7]], atol=1e-6)


def test_efforts_are_cut_to_their_limits():
    q0 = standing(ROBOT)
    strong, cut = (sg.Simulator(ROBOT, DT, q0, contacts=feet(), effort_limits=limited) for limited in (False, True))
    strong.step(np.concatenate([np.zeros(6), np.full(8, 20.0)]), steps=20)
    cut.step(np.concatenate([np.zeros(6), np.full(8, 200.0)]), steps=20)
    np.testing.assert_array_equal(strong.q, cut.q)
