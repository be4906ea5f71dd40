"""Horizons of arms and mechanisms that no other test has, with costs and limits of their own, beside IPOPT."""

import numpy as np
import pytest
from tests.motion.control.predictive.test_random_starts import Case, solve_by_ipopt
from tests.robots import robot_file
from tests.suites import in_suites

import screwgraph as sg
from screwgraph.motion.control import HorizonLimits, converge, stack_references, stack_weights
from screwgraph.motion.control.stiff_dampers import damp_implicitly

FILES = [
    "ur10_robot",
    "z1",
    "xarm7",
    "iiwa",
    "kinova",
    "double_pendulum",
    "so100",
    "talos_left_arm",
    "finger_edu",
    "TwoDofs",
]
DT, N = 0.02, 12


def make_case(robot: sg.Robot, number: int) -> tuple[Case, np.ndarray, np.ndarray, np.ndarray]:
    """Return a case with random weights and limits that are met, a state and a goal."""
    rng, n = np.random.default_rng(number), robot.nv
    q = np.clip(0.4 * rng.standard_normal(n), robot.limits.lower + 0.1, robot.limits.upper - 0.1)
    qd, goal = 0.3 * rng.standard_normal(n), q + rng.uniform(-0.5, 0.5, n)
    holding = np.abs(sg.bias_forces(robot)(q, qd))
    most = 1.5 * holding + 0.3 * holding.max() + 0.1
    limits = HorizonLimits(effort=most, velocity=2.0, lower=-np.inf, upper=np.inf, penalty=(50.0, 500.0))
    weights = stack_weights(
        robot, position=rng.uniform(5.0, 20.0, n), velocity=rng.uniform(0.05, 0.5, n), effort=1e-2 / most**2
    )
    control = sg.mpc(robot, DT, N, limits=limits)
    return (
        Case(damp_implicitly(robot, DT), control, weights, DT, list(range(n)), limits, lambda *_: (q, qd, goal)),
        q,
        qd,
        goal,
    )


@pytest.mark.parametrize("file", [FILES[0], *(in_suites(name) for name in FILES[1:])])
def test_optima_are_those_of_ipopt(file):
    """Costs within 1e-6, first efforts within 1e-5 of their limits; efforts are hard, velocities within 2 rad/s."""
    robot = sg.load(robot_file(f"{file}.urdf"))
    case, q, qd, goal = make_case(robot, FILES.index(file))
    references = stack_references(case.control, goal)
    found = converge(case.control, q, qd, references, case.weights)
    assert found.solution[0] == 0.0
    guess = found.states + 1e-3, found.efforts
    cost, inputs, is_solved = solve_by_ipopt(case, np.concatenate([q, qd]), references, guess)
    most = case.most
    assert is_solved
    assert abs(found.solution[1] / cost - 1.0) < 1e-6
    np.testing.assert_allclose(found.tau / most, inputs[0] / most, atol=1e-5)
    assert np.all(np.abs(found.efforts) <= most * (1.0 + 1e-12))
    beyond = np.maximum(np.abs(found.states[1:, robot.nv :]) - 2.0, 0.0).max()
    assert abs(beyond - found.solution[2]) < 1e-9
