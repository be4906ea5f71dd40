"""Efforts within bounds: the least ones beside SciPy's SLSQP, and none where its linear program finds none."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Coupling, Transmission, constraint_jacobian
from tests.model.robot.test_cables import make_suspended


def check_least(robot, states, weights=None, tolerance=1e-6):
    """Compare efforts at states with SLSQP's; return how often there are none."""
    found = sg.inverse_dynamics(robot, actuators=True, effort_limits=True, weights=weights)
    torques, bounds = sg.inverse_dynamics(robot), [a.bounds for a in robot.actuators]
    w = np.array([(weights or {}).get(a.name, 1.0) for a in robot.actuators])
    none, n = 0, len(bounds)
    for q, qd, qdd in states:
        K = constraint_jacobian(robot, q)[list(robot.mobility.kept)] if robot.is_closed else np.zeros((0, robot.nv))
        balance, r = np.hstack([robot.actuation_matrix(q), K.T]), torques(q, qd, qdd)
        every = [*bounds, *[(None, None)] * len(K)]
        start = linprog(np.zeros(len(every)), A_eq=balance, b_eq=r, bounds=every)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if not start.success else "error")
            u = found(q, qd, qdd)
        if not start.success:
            assert np.isnan(u).all()
            none += 1
            continue
        best = minimize(
            lambda x: 0.5 * w @ x[:n] ** 2,
            start.x,
            jac=lambda x: np.append(w * x[:n], np.zeros(len(x) - n)),
            bounds=every,
            constraints={"type": "eq", "fun": lambda x, A=balance, b=r: A @ x - b, "jac": lambda x, A=balance: A},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        )
        assert u == pytest.approx(best.x[:n], abs=tolerance * np.abs(u).max())
        assert all(low <= x <= high for x, (low, high) in zip(u, bounds, strict=True))
    return none


def hanging(robot, rng, count):
    """Return states of a platform amid its frame."""
    for _ in range(count):
        place = np.array([*rng.uniform(-0.5, 0.5, 2), rng.uniform(1.0, 2.0), 0.0, 0.0, 0.0, 1.0])
        turned = robot.manifold.retract(place, np.append(rng.normal(0.0, 0.05, 3), np.zeros(3)))
        yield turned, rng.normal(0.0, 0.3, 6), rng.normal(0.0, 1.0, 6)


def test_tensions_of_a_suspended_platform_are_the_least_within_bounds():
    robot, rng = make_suspended(bounds=(0.5, 120.0)), np.random.default_rng(0)
    assert check_least(robot, hanging(robot, rng, 20)) == 0
    assert check_least(robot, hanging(robot, rng, 10), {"c0": 10.0, "c5": 0.1}) == 0
    heavy = make_suspended(bounds=(5.0, 20.0))
    assert check_least(heavy, hanging(heavy, rng, 20)) > 0


def test_motors_of_a_closed_chain_share_a_motion_within_bounds():
    robot, rng = sg.load("five_bar"), np.random.default_rng(1)
    names = robot.joint_names[:3]
    bounds = [(-10.0, 20.0), (-7.0, 15.0), (-4.0, 10.0)]
    motors = [Transmission(Coupling(n, {n: 1.0}), bounds=b) for n, b in zip(names, bounds, strict=True)]
    robot = replace(robot, actuators=tuple(motors))
    closed = [robot.close_loops(robot.random(rng)) for _ in range(20)]
    states = [(q, robot.complete_velocity(q, rng.normal(0, 1, 2)), rng.normal(0, 1, 4)) for q in closed]
    assert check_least(robot, states) < len(states)


def test_without_bounds_it_is_inverse_dynamics():
    robot, rng = make_suspended(bounds=(-np.inf, np.inf)), np.random.default_rng(2)
    bounded, free = (sg.inverse_dynamics(robot, actuators=True, effort_limits=on) for on in (True, False))
    for state in hanging(robot, rng, 5):
        assert bounded(*state) == pytest.approx(free(*state), rel=1e-8, abs=1e-8)
    q, qd, qdd = (np.stack(part) for part in zip(*hanging(robot, rng, 4), strict=True))
    assert pickle.loads(pickle.dumps(bounded))(q, qd, qdd) == pytest.approx(bounded(q, qd, qdd))


def test_what_there_is_none_of_is_said():
    robot = make_suspended(bounds=(0.0, 1.0))
    found = sg.inverse_dynamics(robot, actuators=True, effort_limits=True)
    still = np.array([0, 0, 1.5, 0, 0, 0, 1.0]), np.zeros(6), np.zeros(6)
    with pytest.warns(RuntimeWarning, match="no efforts of c0, .* within their bounds cause that motion"):
        assert np.isnan(found(*still)).all()
    with pytest.raises(InputError, match="no derivatives here"):
        found.jacobian("q")
    with pytest.raises(InputError, match="effort limits are those of actuators"):
        sg.inverse_dynamics(robot, effort_limits=True)
