"""Damped steps: where full ones lead away, where rows depend on each other, where nothing shrinks the residual."""

from itertools import pairwise

import numpy as np
import pytest

from screwgraph.model.robot.closure.levenberg_marquardt import take_damped_step


def step_of(residual, slope, x, **options):
    """Return the step that is taken at x, and the residual there."""
    tried = []

    def ahead(step):
        tried.append(step)
        return step, residual(x + step)

    found = take_damped_step(residual(x), slope(x), ahead, **options)
    return found, tried


@pytest.mark.parametrize("x", [3.0, 5.0, 10.0])
def test_a_step_that_leads_too_far_is_shortened_and_no_more(x):
    """Newton's steps on the arc tangent diverge beyond 1.39; a damped one that is taken is worth taking."""
    x = np.array([x])
    step, tried = step_of(np.arctan, lambda x: np.diag(1.0 / (1.0 + x**2)), x)
    assert len(tried) > 1
    assert np.abs(np.arctan(x + step)) < 0.95 * np.abs(np.arctan(x))
    sizes = [float(np.abs(s[0])) for s in tried]
    assert all(0.05 * a <= b < a for a, b in pairwise(sizes))


def test_near_a_solution_a_step_is_newtons_on_redundant_rows_too():
    A = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0]])
    A = np.vstack([A, A[0] + A[1]])
    x = np.array([1e-6, -2e-6, 3e-6])
    step, tried = step_of(lambda x: A @ x, lambda x: A, x)
    assert len(tried) == 1
    np.testing.assert_allclose(step, -np.linalg.pinv(A) @ (A @ x), atol=1e-15)


def test_no_entry_of_a_step_is_beyond_the_farthest():
    step, _ = step_of(lambda x: x, lambda x: np.eye(2), np.array([3.0, 4.0]), farthest=0.1)
    assert np.abs(step).max() == pytest.approx(0.1)
    assert step[0] / step[1] == pytest.approx(0.75)


def test_where_nothing_shrinks_the_residual_there_is_no_step():
    assert step_of(lambda x: np.array([1.0 + abs(float(x[0]))]), lambda x: np.eye(1), np.zeros(1))[0] is None
    assert step_of(lambda x: np.ones(1), lambda x: np.zeros((1, 1)), np.zeros(1))[0] is None
