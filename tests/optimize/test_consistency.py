"""Errors of smoothers are as large as covariances say: truth drawn from priors, walks and noise of the graph itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from screwgraph.optimize import FixedLag, Incremental, Problem, Variables, Vector, each, soft
from screwgraph.spatial import sqrt

DT, STEPS, WINDOW = 0.1, 20, 5
BEACONS = np.array([[0.0, 5.0], [6.0, -3.0], [-4.0, -4.0]])
START, WALK, RANGE, BIAS = np.array([0.2, 0.2, 0.3, 0.3]), np.array([1e-3, 1e-3, 0.1, 0.1]), 0.05, 0.1
A = np.eye(4) + DT * np.eye(4, k=2)
SURE = 1e-4
"""Probability that a consistent estimator fails; seeds are fixed."""


def begins(x, *, mean):
    return x - mean


def walks(a, b):
    return b - A @ a


def ranges(x, bias, *, z):
    """Distances of a point from beacons, all off by one bias."""
    return np.array([sqrt((x[0] - u) ** 2 + (x[1] - v) ** 2) + bias[0] for u, v in BEACONS]) - z


def drawn(rng):
    """Draw a walk and what is read of it."""
    x, bias = [START * rng.standard_normal(4)], BIAS * rng.standard_normal()
    for _ in range(STEPS - 1):
        x.append(A @ x[-1] + WALK * rng.standard_normal(4))
    true = np.array(x)
    far = np.linalg.norm(true[:, None, :2] - BEACONS, axis=2)
    return true, bias, far + bias + RANGE * rng.standard_normal(far.shape)


def factors(x, bias, z):
    return [soft(walks, x[:-1], x[1:], sigma=WALK), soft(ranges, x, bias, z=each(z), sigma=RANGE)]


def by_a_window(z):
    x, bias = Variables("x", Vector(4), WINDOW), Variables("bias", Vector(1))
    lag = FixedLag(Problem(factors(x, bias, z[:WINDOW])), {}, prior={"x": START, "bias": BIAS})
    lag.solve()
    for read in z[WINDOW:]:
        lag.advance(parameters={"ranges": {"z": read}})
        lag.solve()
    return np.concatenate([lag.values["x"][-1], lag.values["bias"][0]]), lag.covariance()


def by_a_tree(z):
    x, bias = Variables("x", Vector(4), STEPS), Variables("bias", Vector(1))
    solver = Incremental([x, bias])
    solver.update([soft(begins, x[0], mean=np.zeros(4), sigma=START), soft(begins, bias, mean=np.zeros(1), sigma=BIAS)])
    for k, read in enumerate(z):
        new = [soft(ranges, x[k], bias, z=read, sigma=RANGE)]
        solver.update(new + ([soft(walks, x[k - 1], x[k], sigma=WALK)] if k else []))
    return np.concatenate([solver.values["x"][-1], solver.values["bias"][0]]), solver.covariance(x[-1], bias)


@pytest.mark.parametrize("estimate", [by_a_window, by_a_tree])
@pytest.mark.parametrize("runs", [8, pytest.param(200, marks=pytest.mark.suite)])
@pytest.mark.sampled(2)
def test_errors_are_what_covariances_say(estimate, runs):
    total = 0.0
    for seed in range(runs):
        true, bias, z = drawn(np.random.default_rng(seed))
        found, covariance = estimate(z)
        off = found - np.append(true[-1], bias)
        total += off @ np.linalg.solve(covariance, off)
    assert chi2.ppf(SURE / 2.0, 5 * runs) < total < chi2.ppf(1.0 - SURE / 2.0, 5 * runs)
