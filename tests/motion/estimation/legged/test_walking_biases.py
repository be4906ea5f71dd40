"""Biases that walk inside of the preintegration: beside GTSAM's combined factor, and errors beside covariances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from screwgraph import InputError
from screwgraph.motion.estimation.legged import LeggedNoise, LeggedSmoother
from screwgraph.motion.estimation.legged.imu import CHANGE, SLOPES, compile_integration, make_preintegration
from screwgraph.optimize.smoothers.unrolled_engine import make_single_call
from screwgraph.spatial.exponential import exp3, log3
from tests.motion.estimation.legged.test_legged_smoother import FEET, GRAVITY, STAND, readings

DT = 5e-3
WALK_GYRO, WALK_FORCE = 0.02, 0.1
NOISE = LeggedNoise(bias=1e-2, bias_walk=[WALK_GYRO] * 3 + [WALK_FORCE] * 3, foothold=10.0)
GTSAM_ORDER = [0, 1, 2, 6, 7, 8, 3, 4, 5, 12, 13, 14, 9, 10, 11]
"""Rotation, position, velocity, bias of the accelerometer, of the gyroscope."""


def covariance(given: np.ndarray) -> np.ndarray:
    """That of a preintegration of readings, in GTSAM's order."""
    n, state = NOISE, make_preintegration(is_walking=True)
    walks = [WALK_GYRO] * 3 + [WALK_FORCE] * 3
    variances = np.array([n.gyroscope, n.accelerometer, n.integration, *walks]) ** 2
    for reading in given:
        state = make_single_call(compile_integration(True), state, reading, np.zeros(6), np.array([DT]), variances)
    return state[CHANGE + SLOPES :].reshape(15, 15)[np.ix_(GTSAM_ORDER, GTSAM_ORDER)]


def preintegrated(gtsam: Any, given: np.ndarray) -> Any:
    """GTSAM's measurements with the same noise."""
    of = gtsam.PreintegrationCombinedParams.MakeSharedU(9.81)
    of.setGyroscopeCovariance(np.eye(3) * NOISE.gyroscope**2)
    of.setAccelerometerCovariance(np.eye(3) * NOISE.accelerometer**2)
    of.setIntegrationCovariance(np.eye(3) * NOISE.integration**2)
    of.setBiasAccCovariance(np.eye(3) * WALK_FORCE**2)
    of.setBiasOmegaCovariance(np.eye(3) * WALK_GYRO**2)
    found = gtsam.PreintegratedCombinedMeasurements(of, gtsam.imuBias.ConstantBias())
    for reading in given:
        found.integrateMeasurement(reading[3:], reading[:3], DT)
    return found


@pytest.mark.extra
def test_covariances_are_those_of_gtsam_but_for_a_sign() -> None:
    """GTSAM 4.3 correlates biases and motion with the other sign than its residual: see the next test."""
    gtsam = pytest.importorskip("gtsam")
    ours, theirs = covariance(readings()), preintegrated(gtsam, readings()).preintMeasCov()
    spread = np.sqrt(np.diag(theirs))
    theirs[:9, 9:], theirs[9:, :9] = -theirs[:9, 9:], -theirs[9:, :9]
    # GTSAM's rotations are vectors, whose directions are turned by half of the rotation: 50 mrad.
    assert np.allclose(ours, theirs, rtol=0.0, atol=0.025 * np.outer(spread, spread))
    assert np.abs(theirs[6:9, 9:12] / np.outer(spread[6:9], spread[9:12])).max() > 0.1


@pytest.mark.parametrize("i", range(6))
@pytest.mark.extra
def test_a_bias_that_changes_at_the_beginning_is_correlated_with_the_motion_as_it_acts(i: int) -> None:
    """GTSAM's residual of a bias that jumps behind the first event, beside the sign of our covariance."""
    gtsam = pytest.importorskip("gtsam")
    given, jump = readings(), 1e-3 * np.eye(6)[i]
    start, none = gtsam.NavState(), gtsam.imuBias.ConstantBias()
    end = preintegrated(gtsam, given - jump).predict(start, none)
    factor = gtsam.CombinedImuFactor(0, 1, 2, 3, 4, 5, preintegrated(gtsam, given))
    after = gtsam.imuBias.ConstantBias(jump[3:], jump[:3])
    r = factor.evaluateError(start.pose(), start.velocity(), end.pose(), end.velocity(), none, after)
    ours, bias = covariance(given), 12 + i if i < 3 else 9 + i - 3
    first = slice(0, 3) if i < 3 else slice(6, 9)  # what the bias acts on at once: rotation, velocity
    assert (ours[first, bias] @ r[first]) * r[bias] > 0.0


def walking(rng: np.random.Generator, **options: Any) -> tuple[LeggedSmoother, np.ndarray]:
    """Return a smoother of a robot that stands while biases walk, and errors of the last base and biases."""
    spread = np.array([0.02] * 3 + [0.1] * 3 + [0.02] * 3)
    off, dt = spread * rng.normal(size=9), 0.01
    smoother = LeggedSmoother(
        FEET, R=exp3(-off[:3]), v=-off[3:6], p=-off[6:], covariance=spread**2, noise=NOISE, lag=0.3, **options
    )
    walk, density = np.array(NOISE.bias_walk), np.array([NOISE.gyroscope] * 3 + [NOISE.accelerometer] * 3)
    bias = 1e-2 * rng.normal(size=6)
    for k in range(100):
        reading = np.concatenate([np.zeros(3), -GRAVITY]) + bias + density / np.sqrt(dt) * rng.normal(size=6)
        smoother.predict(reading[:3], reading[3:], dt)
        bias = bias + np.sqrt(dt) * walk * rng.normal(size=6)
        if k % 10 == 9:
            smoother.update({n: np.array(p) + np.array(NOISE.contact) * rng.normal(size=3) for n, p in STAND.items()})
    R, v, p = smoother.state
    return smoother, np.concatenate([log3(R.T), -v, -p, bias - smoother.bias]).astype(float)


def test_errors_are_as_large_as_covariances_say() -> None:
    rng, runs = np.random.default_rng(1), 40
    motion = biases = 0.0
    for _ in range(runs):
        smoother, error = walking(rng)
        motion += error[:9] @ np.linalg.solve(smoother.covariance, error[:9])
        biases += error[9:] @ np.linalg.solve(smoother.bias_covariance, error[9:])
    assert chi2.ppf(0.001, 9 * runs) < motion < chi2.ppf(0.999, 9 * runs)
    assert chi2.ppf(0.001, 6 * runs) < biases < chi2.ppf(0.999, 6 * runs)


def test_biases_that_hardly_walk_are_constant() -> None:
    found = []
    for walk in (0.0, 1e-7):
        smoother = LeggedSmoother(FEET, covariance=1e-4, noise=LeggedNoise(bias=1e-2, bias_walk=walk), lag=100.0)
        for k in range(40):
            reading = np.concatenate([[0.01, 0.0, -0.01], -GRAVITY + 0.05 * np.sin(k)])
            smoother.predict(reading[:3], reading[3:], 0.01)
            if k % 10 == 9:
                smoother.update(STAND)
        found.append((np.concatenate([*smoother.state[1:], smoother.bias]), smoother.covariance))
    assert np.allclose(*(x for x, _ in found), atol=1e-7)
    assert np.allclose(*(c for _, c in found), rtol=1e-4, atol=1e-10)


@pytest.mark.extra
def test_estimates_are_those_of_gtsam() -> None:
    """GTSAM's residual with our covariance, feet, and its Levenberg-Marquardt method, over a motion with turns."""
    gtsam = pytest.importorskip("gtsam")
    rng, start = np.random.default_rng(0), 1e-4
    noise, graph, values = gtsam.noiseModel, gtsam.NonlinearFactorGraph(), gtsam.Values()
    smoother = LeggedSmoother(FEET, covariance=start**2, noise=NOISE, lag=100.0, threshold=0.0)
    here, none = gtsam.NavState(), gtsam.imuBias.ConstantBias()

    def key(kind: str, k: int) -> int:
        return gtsam.symbol(kind, k)

    graph.add(gtsam.PriorFactorPose3(key("x", 0), here.pose(), noise.Isotropic.Sigma(6, start)))
    graph.add(gtsam.PriorFactorVector(key("v", 0), np.zeros(3), noise.Isotropic.Sigma(3, start)))
    graph.add(gtsam.PriorFactorConstantBias(key("b", 0), none, noise.Isotropic.Sigma(6, NOISE.bias)))
    seen = noise.Diagonal.Sigmas(np.array(NOISE.contact))
    for k in range(6):
        given = readings(20) * [0.3, 0.3, 0.3, 0.1, 0.1, 1.0] + 0.02 * k
        if k:
            factor = gtsam.CombinedImuFactor(*_ends(key, k), preintegrated(gtsam, given))
            graph.add(
                gtsam.CustomFactor(noise.Gaussian.Covariance(covariance(given)), _ends(key, k), _error(gtsam, factor))
            )
            here = preintegrated(gtsam, given).predict(here, none)
            for reading in given:
                smoother.predict(reading[:3], reading[3:], DT)
        values.insert(key("x", k), here.pose())
        values.insert(key("v", k), here.velocity())
        values.insert(key("b", k), none)
        contacts = {}
        for foot, (name, place) in enumerate(STAND.items()):
            p = here.attitude().unrotate(np.array(place) - here.position()) + 0.03 * rng.normal(size=3)
            contacts[name] = p
            if not k:
                values.insert(key("f", foot), p)
                graph.add(gtsam.PriorFactorPoint3(key("f", foot), p, noise.Isotropic.Sigma(3, NOISE.foothold)))
            graph.add(gtsam.CustomFactor(seen, [key("x", k), key("f", foot)], _contact(key("x", k), key("f", foot), p)))
        smoother.update(contacts)
    of = gtsam.LevenbergMarquardtParams()
    of.setRelativeErrorTol(1e-14)
    of.setAbsoluteErrorTol(1e-14)
    found = gtsam.LevenbergMarquardtOptimizer(graph, values, of).optimize()
    # Charts of the inertial residual differ to the second order.
    assert np.allclose(smoother.state[2], found.atPose3(key("x", 5)).translation(), atol=1e-5)
    assert np.allclose(smoother.state[0], found.atPose3(key("x", 5)).rotation().matrix(), atol=1e-5)
    theirs = found.atConstantBias(key("b", 5))
    assert np.allclose(smoother.bias, np.concatenate([theirs.gyroscope(), theirs.accelerometer()]), atol=2e-4)


def _ends(key: Any, k: int) -> list[int]:
    return [key(kind, i) for kind, i in (("x", k - 1), ("v", k - 1), ("x", k), ("v", k), ("b", k - 1), ("b", k))]


def _error(gtsam: Any, factor: Any) -> Any:
    def error(this: Any, values: Any, jacobians: list | None) -> np.ndarray:
        xi, vi, xj, vj, bi, bj = this.keys()
        of = values.atPose3(xi), values.atVector(vi), values.atPose3(xj), values.atVector(vj)
        biases = values.atConstantBias(bi), values.atConstantBias(bj)
        if jacobians is None:
            return factor.evaluateError(*of, *biases)
        found = [np.zeros((15, n), order="F") for n in (6, 3, 6, 3, 6, 6)]
        r = factor.evaluateError(*of, *biases, *found)
        for i, jacobian in enumerate(found):
            jacobians[i] = jacobian
        return r

    return error


def _contact(base: int, foot: int, seen: np.ndarray) -> Any:
    def error(_: Any, values: Any, jacobians: list | None) -> np.ndarray:
        pose, left, right = values.atPose3(base), np.zeros((3, 6), order="F"), np.zeros((3, 3), order="F")
        r = pose.transformTo(values.atPoint3(foot), left, right) - seen
        if jacobians is not None:
            jacobians[0], jacobians[1] = left, right
        return r

    return error


def test_walks_of_some_biases_alone_are_refused() -> None:
    with pytest.raises(InputError, match="others do not"):
        LeggedSmoother(FEET, noise=LeggedNoise(bias_walk=[0.0] * 3 + [1e-3] * 3))
