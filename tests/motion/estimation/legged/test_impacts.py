"""Impacts beyond the range of an accelerometer: errors are as large as covariances say, and no foot is said to slip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from screwgraph import InputError
from screwgraph.motion.estimation.legged import LeggedNoise, LeggedSmoother
from screwgraph.motion.estimation.legged.inertial_faults import loosened_whitening, shared_error
from screwgraph.spatial.exponential import exp3, log3

from .test_legged_smoother import FEET, GRAVITY, STAND

DT, EVERY, FALL, PULSE = 1e-3, 10, 0.2, 0.010
SEEN = np.array([0.03, 0.03, 0.02])


def acceleration(t: float, speed: float) -> np.ndarray:
    """Return that of a base that sinks and drifts on standing feet, and is stopped by a half sine."""
    way = np.array([0.3, 0.0, 1.0]) * speed
    if 0.1 <= t < 0.1 + FALL:
        return -way / FALL
    since = t - 0.1 - FALL
    return way * np.pi / 2.0 / PULSE * np.sin(np.pi * since / PULSE) if 0.0 <= since < PULSE else np.zeros(3)


def impact(seed: int, reach: float, speed: float, **noise: Any) -> tuple[LeggedSmoother, np.ndarray]:
    """Return a smoother after the impact, and normalised squared errors (d.o.f. 9) of events."""
    rng = np.random.default_rng(seed)
    given = LeggedNoise(gyroscope=1e-3, accelerometer=2e-2, bias=1e-3, slip=6.0, **noise)
    smoother, found = LeggedSmoother(FEET, covariance=1e-6, noise=given, lag=0.5), []
    v, p = np.zeros(3), np.zeros(3)
    for k in range(800):
        a = acceleration((k + 0.5) * DT, speed)
        felt = a - GRAVITY + 2e-2 / np.sqrt(DT) * rng.normal(size=3)
        smoother.predict(1e-3 / np.sqrt(DT) * rng.normal(size=3), np.clip(felt, -reach, reach), DT)
        p, v = p + v * DT + 0.5 * DT * DT * a, v + DT * a
        if k % EVERY == EVERY - 1:
            smoother.update({name: STAND[name] - p + SEEN * rng.normal(size=3) for name in FEET})
            R, speed_found, place = smoother.state
            error = np.concatenate([log3(R), speed_found - v, place - p]).astype(float)
            found.append(error @ np.linalg.solve(smoother.covariance, error))
    return smoother, np.array(found)


@pytest.mark.parametrize("reach", [20.0, 40.0, 80.0, 160.0])
def test_errors_after_clipped_impacts_are_as_large_as_covariances_say(reach: float) -> None:
    runs = [impact(seed, reach, 1.0, accelerometer_range=reach) for seed in range(8)]
    after = np.mean([nees[33:] for _, nees in runs], axis=0)
    # At each event of 8 runs; those of one run are alike.
    assert after.max() < chi2.ppf(1.0 - 1e-5, 9 * len(runs)) / len(runs)
    assert sum(smoother.slips for smoother, _ in runs) == 0


@pytest.mark.parametrize("reach", [20.0, 80.0, 160.0])
def test_inertial_readings_are_doubted_where_all_feet_seem_to_slip(reach: float) -> None:
    """Nobody said where the sensor saturates: 1 to 3 m/s are missing, and would make all feet slip."""
    runs = [impact(seed, reach, 3.0) for seed in range(6)]
    assert np.mean([nees[-1] for _, nees in runs]) < chi2.ppf(1.0 - 1e-5, 9 * len(runs)) / len(runs)
    assert all(smoother.doubted for smoother, _ in runs)
    off = [abs(smoother.state[2][2]) for smoother, _ in runs]  # stops where it began, less 0.3 m of the fall
    assert max(abs(z - 0.3 - 0.015) for z in off) < 0.2


def test_a_reading_that_is_not_clipped_is_not_doubted() -> None:
    smoother, nees = impact(0, np.inf, 3.0)
    assert (smoother.doubted, smoother.slips) == (0, 0)
    assert nees.max() < chi2.ppf(1.0 - 1e-6, 9)


def test_feet_that_slip_each_on_its_own_are_not_the_bases_motion() -> None:
    points, sigma = np.array(list(STAND.values())), np.array([0.03] * 3)
    ways = 0.4 * np.array([[1.0, 0.0, 0.0], [-1.0, 0.3, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    assert shared_error(ways, points, sigma, 6.0) is None
    one = np.zeros((4, 3))
    one[0] = [0.4, 0.0, 0.0]
    assert shared_error(one, points, sigma, 6.0) is None
    assert shared_error(ways[:1], points[:1], sigma, 6.0) is None  # one foot: it may have slipped
    motion = shared_error(np.tile([0.0, 0.0, 0.5], (4, 1)), points, sigma, 6.0)
    assert motion is not None
    np.testing.assert_allclose(motion, [0.0] * 5 + [0.5], atol=1e-12)


def test_a_turn_of_the_base_explains_the_errors_of_all_feet() -> None:
    points, sigma = np.array(list(STAND.values())), np.array([0.03] * 3)
    turn = np.array([0.0, 0.0, 0.6])  # of points about their centre, least squares find the sine
    motion = shared_error(points @ np.asarray(exp3(turn), dtype=float).T - points, points, sigma, 6.0)
    assert motion is not None
    np.testing.assert_allclose(motion, [0.0, 0.0, np.sin(0.6), 0.0, 0.0, 0.0], atol=1e-12)


def test_variances_are_added_to_what_a_whitening_whitens() -> None:
    root = np.tril(np.random.default_rng(0).normal(size=(15, 15))) + 5.0 * np.eye(15)
    added = np.linspace(1.0, 9.0, 9)
    white = loosened_whitening(np.linalg.inv(root), added)
    np.testing.assert_allclose(np.linalg.inv(white.T @ white), root @ root.T + np.diag([*added, *[0.0] * 6]))
    assert np.allclose(white, np.tril(white))


def test_ranges_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="ranges of sensors"):
        LeggedSmoother(FEET, noise=LeggedNoise(accelerometer_range=-1.0))
