"""A legged robot's base, beside GTSAM's factors, and its covariances beside what comes out."""

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

FEET = ("FL", "FR", "RL", "RR")
STAND = {"FL": (0.3, 0.1, -0.5), "FR": (0.3, -0.1, -0.5), "RL": (-0.3, 0.1, -0.5), "RR": (-0.3, -0.1, -0.5)}
GRAVITY = np.array([0.0, 0.0, -9.81])


def readings(count: int = 20) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(count, 6)) * [1.0, 1.0, 1.0, 3.0, 3.0, 3.0] + [0, 0, 0, 0, 0, 9.8]


def preintegrated(bias: np.ndarray) -> np.ndarray:
    state = make_preintegration()
    for reading in readings():
        variances = np.array([8e-4, 2e-2, 1e-3]) ** 2
        state = make_single_call(compile_integration(), state, reading, bias, np.array([5e-3]), variances)
    return state


@pytest.mark.extra
def test_preintegration_is_that_of_gtsam() -> None:
    gtsam = pytest.importorskip("gtsam")
    given = gtsam.PreintegrationParams.MakeSharedU(9.81)
    given.setGyroscopeCovariance(np.eye(3) * 8e-4**2)
    given.setAccelerometerCovariance(np.eye(3) * 2e-2**2)
    given.setIntegrationCovariance(np.eye(3) * 1e-3**2)
    theirs = gtsam.PreintegratedImuMeasurements(given, gtsam.imuBias.ConstantBias())
    for reading in readings():
        theirs.integrateMeasurement(reading[3:], reading[:3], 5e-3)
    ours = preintegrated(np.zeros(6))
    # GTSAM adds rotation vectors to the second order: 20 readings of 10 mrad beside 50 mrad, 0.05 * 0.01^2 / 12 each.
    assert np.allclose(ours[1:10].reshape(3, 3), theirs.deltaRij().matrix(), atol=1e-5)
    assert np.allclose(ours[10:13], theirs.deltaVij(), atol=1e-5)
    assert np.allclose(ours[13:16], theirs.deltaPij(), atol=1e-5)
    order = [0, 1, 2, 6, 7, 8, 3, 4, 5]
    covariance = ours[CHANGE + SLOPES :].reshape(9, 9)[np.ix_(order, order)]
    assert np.allclose(covariance, theirs.preintMeasCov(), atol=1e-3 * np.abs(theirs.preintMeasCov()).max())


def test_derivatives_by_biases_are_those_of_differences() -> None:
    step, centre = 1e-5, preintegrated(np.zeros(6))
    turned, v_gyro, v_force, p_gyro, p_force = centre[CHANGE : CHANGE + SLOPES].reshape(5, 3, 3)
    for i in range(6):
        ahead, behind = (preintegrated(sign * step * np.eye(6)[i]) for sign in (1.0, -1.0))
        slope = (ahead - behind) / (2.0 * step)
        R = centre[1:10].reshape(3, 3)
        turn = log3(R.T @ ahead[1:10].reshape(3, 3)) - log3(R.T @ behind[1:10].reshape(3, 3))
        assert np.allclose(turn / (2.0 * step), turned[:, i] if i < 3 else 0.0, atol=1e-7)
        assert np.allclose(slope[10:13], (v_gyro if i < 3 else v_force)[:, i % 3], atol=1e-7)
        assert np.allclose(slope[13:16], (p_gyro if i < 3 else p_force)[:, i % 3], atol=1e-7)


def standing(rng: np.random.Generator, **options: Any) -> tuple[LeggedSmoother, np.ndarray]:
    """Return a smoother of a robot that stands for a second, and the errors of its last base."""
    noise = LeggedNoise(gyroscope=1e-3, accelerometer=2e-2, integration=1e-4, bias=1e-3, foothold=10.0)
    spread = np.array([0.05, 0.05, 0.05, 0.1, 0.1, 0.1, 0.02, 0.02, 0.02])
    off, dt = spread * rng.normal(size=9), 0.01
    smoother = LeggedSmoother(
        FEET, R=exp3(-off[:3]), v=-off[3:6], p=-off[6:], covariance=spread**2, noise=noise, lag=0.3, **options
    )
    bias, seen = 1e-3 * rng.normal(size=6), np.array(noise.contact)
    for k in range(100):
        density = np.array([1e-3] * 3 + [2e-2] * 3) / np.sqrt(dt)
        reading = np.concatenate([np.zeros(3), -GRAVITY]) + bias + density * rng.normal(size=6)
        smoother.predict(reading[:3], reading[3:], dt)
        if k % 10 == 9:
            smoother.update({name: np.array(p) + seen * rng.normal(size=3) for name, p in STAND.items()})
    R, v, p = smoother.state
    return smoother, np.concatenate([log3(R.T), -v, -p]).astype(float)


def test_errors_are_as_large_as_covariances_say() -> None:
    rng, runs = np.random.default_rng(1), 40
    total = 0.0
    for _ in range(runs):
        smoother, error = standing(rng)
        total += error @ np.linalg.solve(smoother.covariance, error)
    assert chi2.ppf(0.001, 9 * runs) < total < chi2.ppf(0.999, 9 * runs)


def test_linearisations_that_are_kept_change_little() -> None:
    _, exact = standing(np.random.default_rng(2), threshold=0.0)
    _, kept = standing(np.random.default_rng(2))
    assert np.allclose(exact, kept, atol=1e-4)


def test_a_foot_that_slips_is_a_new_foothold() -> None:
    noise = LeggedNoise(slip=6.0)
    smoother = LeggedSmoother(FEET, covariance=1e-6, noise=noise)
    for k in range(10):
        for _ in range(10):
            smoother.predict(np.zeros(3), -GRAVITY, 0.01)
        points = {name: np.array(p) for name, p in STAND.items()}
        if k >= 5:
            points["FL"] += [0.4, 0.0, 0.0]
        smoother.update(points)
    assert smoother.slips == 1
    assert np.allclose(smoother.state[2], 0.0, atol=1e-6)
    assert np.allclose(smoother.footholds["FL"], np.add(STAND["FL"], [0.4, 0.0, 0.0]), atol=1e-5)


def test_footholds_of_the_start_hold_the_base() -> None:
    ground = {name: (p, 1e-8 * np.eye(3)) for name, p in STAND.items()}
    smoother = LeggedSmoother(FEET, p=[0.2, 0.1, 0.05], covariance=1e4, footholds=ground)
    assert np.allclose(smoother.footholds["FL"], STAND["FL"])
    smoother.update(STAND)
    assert np.allclose(smoother.state[2], 0.0, atol=1e-6)  # 0.2 m * 0.03^2 / 1e4


def test_what_is_known_does_not_depend_on_how_much_room_there_was() -> None:
    """One foot stands while others tap: longer than the tables that there are at first, and with a lag beyond them."""
    found = []
    for lag in (0.2, 100.0):
        smoother = LeggedSmoother(FEET, covariance=1e-6, lag=lag)
        for k in range(150):
            for _ in range(3):
                smoother.predict(np.zeros(3), -GRAVITY, 0.01)
            smoother.update({"FL": STAND["FL"], FEET[1 + k % 3]: STAND[FEET[1 + k % 3]]})
        found.append(smoother.covariance)
        assert np.allclose(smoother.state[2], 0.0, atol=1e-6)
    assert np.allclose(*found, rtol=1e-6, atol=1e-12)


def test_feet_may_tap_at_one_instant() -> None:
    smoother = LeggedSmoother(["left"], covariance=1e-6)
    smoother.predict(np.zeros(3), -GRAVITY, 0.01)
    for _ in range(3):
        smoother.update({"left": (0.0, 0.1, -0.5)}, touchdowns=["left"])
    with pytest.raises(InputError, match="at one instant"):
        smoother.update({"left": (0.0, 0.1, -0.5)}, touchdowns=["left"])


def test_covariances_are_refused_that_are_none() -> None:
    with pytest.raises(InputError, match="covariance is not one"):
        LeggedSmoother(FEET, covariance=-1.0)


def test_unknown_feet_are_refused() -> None:
    with pytest.raises(InputError, match="no foot 'left'"):
        LeggedSmoother(FEET).update({"left": np.zeros(3)})
