"""Costs of going on for ever: short horizons with them command what long horizons do."""

from functools import cache

import numpy as np
import pytest
from tests.motion.control.robots import tripod

import screwgraph as sg
from screwgraph.motion.control import (
    HorizonLimits,
    converge,
    solve_riccati,
    stack_references,
    stack_weights,
)

DT, UPRIGHT = 0.02, np.array([0.0, np.pi])
GIVEN = {"position": [10.0, 10.0], "velocity": 0.1, "effort": 0.01, "actuated": ["x"]}


@cache
def cart_pole():
    robot = sg.load("cart_pole")
    weights = stack_weights(robot, **GIVEN)
    return robot, weights, solve_riccati(robot, UPRIGHT, weights, DT, actuated=["x"])


def predict(horizon, q, qd, **options):
    robot, weights, P = cart_pole()
    limits = HorizonLimits(effort={"x": np.inf})
    control = sg.mpc(robot, DT, horizon, actuated=["x"], limits=limits, **options)
    end = P if options else None
    return converge(control, q, qd, stack_references(control, UPRIGHT), weights, terminal=end)


def test_short_horizons_command_what_long_ones_do():
    q, qd = UPRIGHT + np.array([1e-4, 2e-4]), np.array([1e-4, -3e-4])
    long, short = predict(200, q, qd), predict(3, q, qd, terminal="riccati")
    assert short.solution[0] == 0.0
    np.testing.assert_allclose(short.gain, long.gain, rtol=1e-6)
    # second derivatives of the dynamics vanish upright, third ones act on displacements cubed
    np.testing.assert_allclose(short.tau, long.tau, rtol=1e-5)
    np.testing.assert_allclose(short.solution[1], long.solution[1], rtol=1e-5)
    bare = predict(3, q, qd)
    assert np.abs(bare.tau / long.tau - 1.0).max() > 0.1


def test_p_is_the_limit_of_the_recursion():
    robot, weights, P = cart_pole()
    d, x0 = 1e-6, np.concatenate([UPRIGHT, np.zeros(2)])

    def step(x, u):
        v = x[2:] + DT * sg.forward_dynamics(robot)(x[:2], x[2:], np.array([u, 0.0]))
        return np.concatenate([x[:2] + DT * v, v])

    A = np.array([(step(x0 + d * e, 0.0) - step(x0 - d * e, 0.0)) / (2.0 * d) for e in np.eye(4)]).T
    B = np.array([(step(x0, d) - step(x0, -d)) / (2.0 * d)]).T
    S = Q = DT * np.diag(weights[:4])
    for _ in range(2000):
        K = np.linalg.solve(DT * np.diag(weights[4:]) + B.T @ S @ B, B.T @ S @ A)
        S = Q + A.T @ S @ (A - B @ K)
    np.testing.assert_allclose(P, S, rtol=1e-6)


def test_ends_that_cannot_be():
    robot, weights, _P = cart_pole()
    for given, match in [
        ({"position": [0.0, 1.0]}, "does not rest there"),
        ({"position": [0.0]}, "position"),
        ({"weights": -weights}, "weights are from 0 on"),
        ({"dt": 0.0}, "dt positive"),
        ({"effort": [1.0, 2.0]}, "effort"),
        ({"robot": tripod()}, "no vector"),
    ]:
        named = {"robot": robot, "position": UPRIGHT, "weights": weights, "dt": DT, "actuated": ["x"], **given}
        if "robot" in given:
            named["actuated"] = None
        with pytest.raises(sg.InputError, match=match):
            solve_riccati(**named)
    with pytest.raises(sg.InputError, match="terminal"):
        sg.mpc(robot, DT, 3, terminal="ricatti")  # pyright: ignore[reportArgumentType]
    with pytest.raises(sg.InputError, match="floating base"):
        sg.mpc(tripod(), DT, 3, terminal="riccati")
    control = sg.mpc(robot, DT, 3, actuated=["x"], terminal="riccati")
    with pytest.raises(sg.InputError, match="takes terminal"):
        converge(control, UPRIGHT, [0.0, 0.0], stack_references(control, UPRIGHT), weights)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_cost_that_is_none_has_no_command():
    robot, weights, P = cart_pole()
    control = sg.mpc(robot, DT, 3, actuated=["x"], terminal="riccati")
    given = UPRIGHT, np.zeros(2), stack_references(control, UPRIGHT), weights, np.full_like(P, np.nan), 0.0
    tau, *_, solution = control(*given, np.zeros(control.arguments[-1].shape))
    assert solution[0] == 3.0
    assert tau == 0.0
