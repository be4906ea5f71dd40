"""Steps between calls, of maps whose steps are known: they end where steps vanish, and tell minima from saddles."""

import numpy as np
import pytest

from screwgraph.motion.control.predictive.secant_steps import SecantSteps, SolutionLayout

LAYOUT = SolutionLayout(stages=2, head=2, inputs=1, states=5, quaternions=(0,))
SOUND = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 1e-11])


def end() -> np.ndarray:
    """Return the trajectory at which steps vanish: inputs of some newtons, a turn of a ball joint, a velocity."""
    turns = np.array([[0.1, -0.2, 0.3, 1.0], [0.0, 0.4, -0.1, 1.0]])
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    return np.hstack([[[40.0], [-25.0]], turns, [[0.3], [-0.8]]])


def solution(trajectory, length):
    """Return a solution with a number of the solver's own behind each stage."""
    return np.concatenate([[1.0 + length, 1e-11], np.hstack([trajectory, [[7.0], [8.0]]]).ravel()])


def settle(rates, calls=40):
    """Return how far trajectories end, and the last steps, of calls that take a quarter of steps -rates (z - end)."""
    rng, target = np.random.default_rng(0), end()
    z, secants = target + 0.02 * rng.standard_normal(target.shape), SecantSteps(LAYOUT)
    for _ in range(calls):
        step = -rates * (z - target)
        last, found = solution(z, 1.0), solution(z + 0.25 * step, 0.25)
        secants = secants.add(last, found, SOUND)
        z = LAYOUT.read(secants.begin(found)).copy()
        if np.abs(z - target).max() < 1e-9:
            break
    return np.abs(z - target).max(), secants


def test_steps_that_are_far_too_long_settle():
    """Eigenvalues of a call are 1 - rates / 4, from .975 to -.75; those of whole steps are -6."""
    rates = np.random.default_rng(1).choice([0.1, 1.0, 4.0, 7.0], size=end().shape)
    left, secants = settle(rates)
    assert left < 1e-9
    assert secants.find_descent() is None


def test_a_saddle_has_a_direction_in_which_the_cost_falls():
    rates = np.ones(end().shape)
    rates[1, 5] = -0.4
    left, secants = settle(rates)
    way = secants.find_descent()
    assert left < 1e-9
    assert way is not None
    share = np.abs(way[1, 5]) / np.abs(way).max()
    assert share == pytest.approx(1.0)
    away = LAYOUT.read(secants.leave(solution(end(), 1.0), way)) - end()
    assert np.abs(away[1, 5]) == pytest.approx(0.1, rel=1e-6)


def test_a_combination_that_is_worse_is_left():
    layout, target = LAYOUT, end()
    secants = SecantSteps(layout).add(solution(target, 1.0), solution(target + 1e-3, 1.0), SOUND)
    best = solution(target + 1e-3, 1.0)
    secants = secants.add(solution(target + 1.0, 1.0), solution(target + 2.0, 1.0), SOUND)
    np.testing.assert_array_equal(secants.begin(solution(target, 1.0)), best)
    lost = SecantSteps(layout, best=best).add(solution(target, 1.0), solution(target, 0.0), np.array([3.0, *SOUND[1:]]))
    np.testing.assert_array_equal(lost.begin(solution(target, 0.0)), best)
    after = secants.add(solution(target, 1.0), solution(target, 0.0), SOUND)  # no step was taken: nothing is known
    np.testing.assert_array_equal(after.begin(solution(target, 0.0)), solution(target, 0.0))


def test_solutions_keep_the_solvers_numbers_and_unit_quaternions():
    moved = LAYOUT.write(solution(end(), 1.0), end() + 0.1)
    stages = moved[2:].reshape(2, -1)
    np.testing.assert_array_equal(stages[:, -1], [7.0, 8.0])
    np.testing.assert_allclose(np.linalg.norm(stages[:, 1:5], axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(stages[:, [0, 5]], (end() + 0.1)[:, [0, 5]])
