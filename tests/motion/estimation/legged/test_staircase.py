"""A quadruped on stairs, with GTSAM's data: beside GTSAM's factors, and its marginalisation."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.extra
pytest.importorskip("gtsam")
staircase = pytest.importorskip("benchmarks.staircase")
factors = pytest.importorskip("benchmarks.staircase_factors")


def test_all_factors_have_the_solution_that_gtsam_finds() -> None:
    """Before anything leaves: what differs are rotations by preintegration, 20 of 10 mrad to the second order."""
    solved = factors.positions(factors.batch_fixed_lag(1e9, factors.levenberg_marquardt()), 40)
    found = staircase.ours(40, lag=1e9, threshold=0.0).positions
    assert np.abs(found - solved).max() < 1e-6


@pytest.mark.parametrize("threshold", [0.0, 1e-3])
def test_what_leaves_the_lag_stays_as_with_gtsams_factors_at_first_estimates(threshold: float) -> None:
    """GTSAM's inertial residual is a logarithm of all nine numbers, ours of the rotation only.

    At bases that keep their first linearisation that is off by the second order: 4 mrad of 15 mm/s and 10 mm.
    """
    solved = factors.positions(factors.FirstEstimates(1.0), 100)
    found = staircase.ours(100, threshold=threshold).positions
    assert np.abs(found - solved).max() < 1e-3


def test_the_walk_is_nearer_to_all_factors_than_gtsams() -> None:
    everything = factors.positions(factors.batch_fixed_lag(1e9, factors.levenberg_marquardt()), 60)
    theirs, ours = staircase.theirs("fixed_lag_single_bias", 60), staircase.ours(60)
    away = [np.linalg.norm(walk.positions - everything, axis=1).max() for walk in (theirs, ours)]
    assert away[1] < away[0]
    assert np.abs(ours.positions - theirs.positions).max() < 0.02
