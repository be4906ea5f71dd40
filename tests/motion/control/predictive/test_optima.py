"""Converged horizons against optima of IPOPT, and ticks against NumPy."""

from functools import cache

import numpy as np
from tests.motion.control.predictive.reference import Iterate, Problem, tick

import screwgraph as sg
from screwgraph.compiler.derivatives.derivative_code import batch_code
from screwgraph.motion.control import HorizonLimits, converge, stack_references, stack_weights
from screwgraph.tape.verifier import list_faults

PENALTY = (1e3, 1e4)
CART, PANDA = "cart_pole", "panda"


@cache
def cart_pole():
    """A cart of 20 N that balances a pole over 1 s."""
    robot, limits = sg.load(CART), HorizonLimits(effort={"x": 20.0})
    control = sg.mpc(robot, dt=0.02, horizon=50, actuated=["x"], limits=limits)
    weights = stack_weights(robot, position=[1.0, 10.0], velocity=0.1, effort=0.01, actuated=["x"])
    return control, weights


@cache
def arm(steps=2):
    robot = sg.load(PANDA)
    control = sg.mpc(robot, dt=0.01, horizon=32, limits=HorizonLimits(penalty=PENALTY), barrier_steps=steps)
    return control, stack_weights(robot, position=10.0, velocity=0.1, effort=1e-3)


def test_a_cart_balances_its_pole():
    control, weights = cart_pole()
    found = converge(control, [0.0, np.pi - 0.6], [0.0, 0.0], stack_references(control, [0.0, np.pi]), weights)
    status, cost, *_ = found.solution
    # IPOPT with CasADi: the same stages, from the same guess, to 1e-11
    optimum = 2.372237833647354
    assert status == 0.0
    assert abs(cost / optimum - 1.0) < 1e-6
    np.testing.assert_allclose(found.tau, 20.0, atol=1e-5)
    np.testing.assert_allclose(found.states[-1, :2], [1.4857306029525745, 3.0497145424101144], atol=1e-5)


def test_an_arm_reaches_within_its_limits():
    control, weights = arm()
    start, goal = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8], [0.3, -0.3, -0.2, -1.7, 0.2, 1.8, 0.5]
    found = converge(control, start, np.zeros(7), stack_references(control, goal), weights)
    # IPOPT with CasADi, velocities and positions hard: the penalty is exact
    first = [20.00173323, 5.46266347, -11.59784442, 48.33344286, 9.14360662, 11.99999999, -2.18788571]
    assert found.solution[0] == 0.0
    assert abs(found.solution[1] / 0.6266612925023828 - 1.0) < 1e-6
    np.testing.assert_allclose(found.tau, first, atol=1e-5)
    assert found.solution[2] < 1e-9
    limits = sg.load(PANDA).limits
    assert np.all(np.abs(found.efforts) <= limits.effort)


def test_ticks_are_those_of_numpy():
    robot, n, (_, weights) = sg.load(CART), 2, cart_pole()
    limits = HorizonLimits(effort={"x": 20.0})
    control = sg.mpc(robot, dt=0.02, horizon=50, actuated=["x"], limits=limits, shortenings=0)
    none = np.full(2 * n, np.inf)
    problem = Problem(
        robot, 50, 0.02, weights[:2], weights[2:4], weights[4:], np.array([0]), np.array([20.0]), -none, none, *PENALTY
    )
    x0, references = np.array([0.1, 2.8, 0.0, 0.3]), stack_references(control, [0.0, np.pi], 0.0, 0.7)
    guess = np.array([0.1, 2.8, 0.0, 0.0])
    now, previous = Iterate(np.tile(guess, (51, 1)), np.zeros((50, 1))), np.zeros(control.arguments[-1].shape)
    for _ in range(4):
        now, change = tick(problem, now, x0, references, 2)
        tau, states, efforts, _, previous, solution = control(x0[:n], x0[n:], references, weights, 0.0, previous)
        np.testing.assert_allclose(states, now.x, atol=1e-9)
        np.testing.assert_allclose(efforts, now.u, atol=1e-8)
        assert abs(solution[1] - problem.cost(now.x, now.u, references)) < 1e-9
        assert abs(solution[4] - change) < 1e-9
        assert solution[5] == now.mu
        assert tau == np.clip(efforts[0], -20.0, 20.0)


def test_states_beyond_their_bounds_cost_what_the_penalty_says():
    """Of a horizon too short to slow down in: at the end, too, the speed is beyond its bound."""
    robot, bound = sg.load(CART), np.array([np.inf, np.inf, 0.1, 0.1])
    limits = HorizonLimits(effort={"x": 20.0}, velocity=0.1, penalty=PENALTY)
    control = sg.mpc(robot, dt=0.02, horizon=3, actuated=["x"], limits=limits)
    weights = stack_weights(robot, position=1.0, velocity=0.1, effort=0.01, actuated=["x"])
    references, x0 = stack_references(control, [0.0, 0.0]), np.array([0.0, 0.2, 1.5, 0.8])
    problem = Problem(
        robot, 3, 0.02, weights[:2], weights[2:4], weights[4:], np.array([0]), np.array([20.0]), -bound, bound, *PENALTY
    )
    found = converge(control, x0[:2], x0[2:], references, weights)
    assert (np.abs(found.states[-1, 2:]) > 0.1 + 1e-3).any()
    assert abs(found.solution[1] / problem.cost(found.states, found.efforts, references) - 1.0) < 1e-9


def test_code_is_sound():
    assert list_faults(batch_code(cart_pole()[0].body)) == []


def test_the_gain_is_the_derivative_of_the_command():
    """Of a converged horizon, and where no limit is active: by differences of optima."""
    robot = sg.load(CART)
    control = sg.mpc(robot, dt=0.02, horizon=20, actuated=["x"])
    weights = stack_weights(robot, position=[1.0, 10.0], velocity=0.1, effort=0.01, actuated=["x"])
    references, x = stack_references(control, [0.0, np.pi]), np.array([0.0, np.pi, 0.0, 0.0])
    found, h = converge(control, x[:2], x[2:], references, weights), 1e-4
    slopes = []
    for unit in np.eye(4):
        states = [np.split(x + s * h * unit, 2) for s in (1.0, -1.0)]
        ends = [converge(control, q, qd, references, weights).tau[0] for q, qd in states]
        slopes.append((ends[0] - ends[1]) / (2.0 * h))
    # at rest upright second derivatives of the dynamics vanish: Gauss and Newton's gain is exact
    np.testing.assert_allclose(found.gain[0], slopes, rtol=1e-5, atol=1e-5 * np.abs(slopes).max())


def test_a_gain_is_the_feedback_of_a_call_that_was_prepared():
    """At the expected state by the bit; errors of measurement leave a tenth of what they change."""
    robot, (control, weights), qd = sg.load(PANDA), arm(), np.zeros(7)
    q, previous = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8]), np.zeros(control.arguments[-1].shape)
    goal = np.array([0.6, -0.35, -0.1, -1.85, 0.1, 1.7, 0.2])
    references, rng = stack_references(control, goal, effort=sg.bias_forces(robot)(goal, qd)), np.random.default_rng(0)
    left, changed = [], []
    for k in range(40):
        error = np.repeat([1e-4, 1e-3], 7) * rng.standard_normal(14)
        prepared, states, _, gain, last, _ = control(q, qd, references, weights, float(k > 0), previous)
        whole, *_ = control(q + error[:7], qd + error[7:], references, weights, float(k > 0), previous)
        np.testing.assert_array_equal(states[0], np.concatenate([q, qd]))
        tau = np.clip(prepared + gain @ error, -robot.limits.effort, robot.limits.effort)
        left.append(np.abs(tau - whole).max())
        changed.append(np.abs(prepared - whole).max())
        previous, (q, qd) = last, np.split(states[1], 2)
    assert np.median(left) < 0.1 * np.median(changed)
    assert max(left) < 0.01
    assert np.median(changed) > 0.01
