"""Newton's method of implicit steps: equations on which full steps lead away, that change, and that have no root."""

import numpy as np
import pytest

from screwgraph.motion.simulation.methods.implicit import _Newton


@pytest.mark.parametrize("start", [1.5, 3.0, 10.0])
def test_steps_that_lead_away_are_shortened(start):
    """Newton's iterations on the arc tangent diverge from beyond 1.39."""
    found = _Newton().solve(lambda x: np.arctan(x - [1.0, -2.0]), np.array([1.0 + start, -2.0]))
    assert found is not None
    np.testing.assert_allclose(found, [1.0, -2.0], atol=1e-9)


def test_a_matrix_is_remembered_until_it_is_of_no_use():
    newton = _Newton()
    for target, is_new in ((0.1, True), (0.1001, False), (40.0, True)):
        newton.is_new = False
        found = newton.solve(lambda x, target=target: np.sinh(x) - target, np.array([np.arcsinh(target) + 1e-3]))
        assert found is not None
        assert found[0] == pytest.approx(np.arcsinh(target), rel=1e-9)
        assert newton.is_new == is_new


def test_equations_without_a_root_have_none():
    newton = _Newton()
    assert newton.solve(lambda x: 1.0 + x**2, np.array([0.7])) is None
    assert newton.solve(lambda x: np.full(1, np.nan), np.array([0.7])) is None
    assert newton.solve(lambda x: x - 3.0, np.array([0.0])) == pytest.approx(3.0)
