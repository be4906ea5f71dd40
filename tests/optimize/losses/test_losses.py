"""Every loss: its weight is its derivative, it is known by name, and means by it are those that scipy finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from screwgraph.optimize import LOSSES, DeadZone, Loss, Problem, Variables, Vector, each, soft, solve
from tests.optimize.graphs import anchor

TEXTBOOK = {  # of the length r of a residual
    "huber": lambda r: r**2 if r < 1.345 else 2.0 * 1.345 * r - 1.345**2,
    "cauchy": lambda r: 2.385**2 * np.log1p((r / 2.385) ** 2),
    "tukey": lambda r: 4.685**2 / 3.0 * (1.0 - max(0.0, 1.0 - (r / 4.685) ** 2) ** 3),
    "geman_mcclure": lambda r: r**2 / (1.0 + r**2),
    "fair": lambda r: 2.0 * 1.3998**2 * (r / 1.3998 - np.log1p(r / 1.3998)),
    "welsch": lambda r: -(2.9846**2) * np.expm1(-((r / 2.9846) ** 2)),
    "dynamic_covariance_scaling": lambda r: r**2 if r < 1.0 else (3.0 * r**2 - 1.0) / (1.0 + r**2),
    "truncated": lambda r: min(r**2, 9.0),
    "dead_zone": lambda r: max(0.0, r - 1.0) ** 2,
}
CORNERS = {"huber": 1.345, "tukey": 4.685, "dynamic_covariance_scaling": 1.0, "truncated": 3.0, "dead_zone": 1.0}
PULLS = {"huber": 1.345 / 4.0, "fair": 1.3998 / 3.0}
"""Where a force of k, the most by which an outlier pulls, is balanced by four measurements."""


def _rho(name):
    """Return the textbook's loss of a length; of a loss that was added, its own."""
    return TEXTBOOK.get(name, lambda r: LOSSES[name].rho(r * r))


@pytest.mark.parametrize("name", LOSSES)
@given(r=st.floats(0.1, 50.0))
def test_weights_are_the_slopes_of_losses_over_the_residual(name, r):
    loss, h = LOSSES[name], 1e-3 * r
    assert isinstance(loss, Loss)
    assert loss.rho(r * r) == pytest.approx(_rho(name)(r), rel=1e-9, abs=1e-14)
    assert 0.0 <= loss.rho(r * r) <= r * r * (1.0 + 1e-12)
    if abs(r - CORNERS.get(name, np.inf)) > 2.0 * h:  # central differences of the cost rho / 2, of the fourth order
        near, far = (loss.rho((r + d) ** 2) - loss.rho((r - d) ** 2) for d in (h, 2.0 * h))
        assert loss.weight(r * r) == pytest.approx((8.0 * near - far) / (24.0 * h * r), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("name", LOSSES)
def test_small_residuals_cost_their_squares_but_in_a_dead_zone(name):
    loss, near = LOSSES[name], 0.0 if isinstance(LOSSES[name], DeadZone) else 1.0
    assert loss.rho(1e-10) == pytest.approx(near * 1e-10, rel=1e-4)
    assert (loss.rho(0.0), loss.weight(0.0)) == (0.0, near)


@pytest.mark.parametrize("name", LOSSES)
def test_a_robust_mean_is_the_one_that_scipy_finds_and_no_outlier_moves_it(name):
    x, rho, first = Variables("x", Vector(2)), _rho(name), [0.0, 0.9]
    points = np.array([[0.0, 1.0], [0.1, 1.1], [-0.1, 0.9], [0.05, 1.0], [50.0, -80.0]])
    robust = solve(Problem([soft(anchor, x, at=each(points), loss=name)]), {"x": [first]})
    assert robust.success
    theirs = minimize(lambda x: 0.5 * sum(map(rho, np.linalg.norm(x - points, axis=1))), first, method="BFGS", tol=1e-9)
    assert robust.cost == pytest.approx(theirs.fun, rel=1e-9)
    assert robust.values["x"].ravel() == pytest.approx(theirs.x, abs=1e-5)
    if name != "dead_zone":  # whose outliers count in full
        far = np.linalg.norm(points[-1])
        pull = PULLS.get(name, 0.0) if name in TEXTBOOK else LOSSES[name].weight(far * far) * far / 3.0
        assert np.linalg.norm(robust.values["x"] - [0.0, 1.0]) < pull + 0.03


def test_whoever_lies_within_a_dead_zone_stays_there():
    x = Variables("x", Vector(2))
    inside = soft(anchor, x, at=np.zeros(2), loss=DeadZone(2.0))
    found = solve(Problem([inside]), {"x": [[0.0, 1.5]]})
    assert found.success
    assert found.values["x"].tolist() == [[0.0, 1.5]]
    found = solve(Problem([inside]), {"x": [[0.0, 9.0]]})
    assert np.linalg.norm(found.values["x"]) < 2.0 + 1e-6
