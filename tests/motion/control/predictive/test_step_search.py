"""Lengths of steps: random starts converge or say that they did not; trajectories obey the dynamics of NumPy."""

import numpy as np
import pytest
from tests.motion.control.predictive.test_optima import cart_pole

import screwgraph as sg
from screwgraph.motion.control import HorizonLimits, converge, stack_references, stack_weights
from screwgraph.motion.control.predictive.step_search import SEARCH, accept_length, begin_search

STARTS = 60


def random_starts(count=STARTS):
    rng = np.random.default_rng(0)
    for _ in range(count):
        yield rng.uniform([-1.0, -np.pi], [1.0, np.pi]), rng.uniform(-1.0, 1.0, 2) * [1.0, 5.0]


def test_poles_from_anywhere_are_swung_up_or_the_status_says_that_it_is_not_the_optimum():
    (control, weights), robot, dt = cart_pole(), sg.load("cart_pole"), 0.02
    references, done = stack_references(control, [0.0, np.pi]), 0
    for q, qd in random_starts():
        found = converge(control, q, qd, references, weights)
        assert all(np.isfinite(x).all() for x in found if x is not None)
        assert np.abs(found.efforts).max() <= 20.0
        status, _, _, defect, change, barrier = found.solution
        if status == 0.0:
            done += 1
            assert max(defect, change, barrier) < 1e-8
            positions, speeds = np.split(found.states, 2, axis=1)
            tau = np.concatenate([found.efforts, np.zeros((50, 1))], axis=1)
            ends = speeds[:-1] + dt * sg.forward_dynamics(robot)(positions[:-1], speeds[:-1], tau)
            np.testing.assert_allclose(ends, speeds[1:], atol=1e-6)
            np.testing.assert_allclose(positions[:-1] + dt * speeds[1:], positions[1:], atol=1e-6)
        else:
            assert status == 1.0
    assert done >= 0.95 * STARTS


def test_a_start_from_which_whole_steps_go_round_in_circles_converges():
    limits, (_, weights) = HorizonLimits(effort={"x": 8.0}), cart_pole()
    whole, control = (
        sg.mpc(sg.load("cart_pole"), 0.02, 50, actuated=["x"], limits=limits, shortenings=count) for count in (0, 4)
    )
    references, circles = stack_references(control, [0.0, np.pi]), 0
    for q, qd in random_starts():
        previous, changes = np.zeros(whole.arguments[-1].shape), list[float]()
        for _ in range(200):
            *_, previous, solution = whole(q, qd, references, weights, 0.0, previous)
            changes.append(solution[4])
        if changes[-1] > 1e-3:
            circles += 1
            if converge(control, q, qd, references, weights).solution[0] == 0.0:
                return
    pytest.fail(f"none of {circles}")


def test_a_step_that_is_shortened_is_told():
    control, weights = cart_pole()
    references, seen = stack_references(control, [0.0, np.pi]), set()
    for q, qd in random_starts(20):
        previous = np.zeros(control.arguments[-1].shape)
        for _ in range(20):
            *_, previous, solution = control(q, qd, references, weights, 0.0, previous)
            seen.add(solution[0])
    assert seen == {0.0, 1.0}


def test_whole_steps_pay_for_dynamics_with_cost_and_for_nothing_else():
    """A step that ends defects of size 1 may cost 3 more; without defects, none may."""
    for defect, cost, taken in ((1.0, 4.0, 1.0), (0.0, 4.0, 0.0), (0.0, 0.9, 1.0), (1.0, 0.9, 1.0)):
        search = begin_search([1.0, defect])
        found = accept_length(search, [cost, 0.0], [0.0], [0.0])
        assert dict(zip(SEARCH, found, strict=True))["best"] == taken


@pytest.mark.suite
@pytest.mark.parametrize("name", ["panda", "cart_pole"])
def test_a_thousand_starts_are_never_nan(name):
    robot = sg.load(name)
    if name == "cart_pole":
        control, weights = cart_pole()
    else:
        control, weights = sg.mpc(robot), stack_weights(robot, position=10.0, velocity=0.1, effort=1e-3)
    rng, limits = np.random.default_rng(1), robot.limits
    lower, upper = (np.where(np.isfinite(x), x, y) for x, y in ((limits.lower, -np.pi), (limits.upper, np.pi)))
    for _ in range(1000):
        q, goal = rng.uniform(lower, upper), rng.uniform(lower, upper)
        qd = rng.uniform(-1.0, 1.0, robot.nv) * np.minimum(limits.velocity, 5.0)
        found = converge(control, q, qd, stack_references(control, goal), weights, most=60)
        assert all(np.isfinite(x).all() for x in found if x is not None)
        assert found.solution[0] in (0.0, 1.0)
        assert (found.solution[0] == 0.0) == (max(found.solution[3:]) < 1e-8)
