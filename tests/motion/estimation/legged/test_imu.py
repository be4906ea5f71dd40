"""Preintegrated readings at other biases than they were taken at, against readings without these biases."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.motion.estimation.legged.imu import (
    CHANGE,
    SLOPES,
    inertial_residual,
    integrate_reading,
    make_preintegration,
    predict_state,
)
from screwgraph.spatial.exponential import exp3, log3

DT, GRAVITY = 0.02, np.array([0.3, -0.2, -9.81])
RNG = np.random.default_rng(7)
READINGS = RNG.normal(size=(10, 6)) * [1.0, 1.0, 1.0, 3.0, 3.0, 3.0]
START = exp3(RNG.normal(size=3)).astype(float), RNG.normal(size=3), RNG.normal(size=3)
BIAS = RNG.normal(size=6)


def change_at(bias: np.ndarray) -> np.ndarray:
    """A preintegration at a bias, without its covariance."""
    state = make_preintegration()
    for reading in READINGS:
        state = integrate_reading(state, reading, bias, DT, np.zeros(3)).astype(float)
    return np.concatenate([state[: CHANGE + SLOPES], bias])


def end_at(bias: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rotation, velocity, position to which readings lead in the world, each held for its time."""
    R, v, p = START
    for reading in READINGS:
        a = R @ (reading[3:] - bias[3:]) + GRAVITY
        R, v, p = R @ exp3((reading[:3] - bias[:3]) * DT).astype(float), v + DT * a, p + DT * v + 0.5 * DT * DT * a
    return R, v, p


def test_the_residual_vanishes_and_the_prediction_is_where_readings_lead():
    end = end_at(BIAS)
    residual = inertial_residual(*START, *end, BIAS, change=change_at(BIAS), gravity=GRAVITY)
    np.testing.assert_allclose(residual.astype(float), 0.0, atol=1e-12)
    for found, expected in zip(predict_state(*START, BIAS, change_at(BIAS), GRAVITY), end, strict=True):
        np.testing.assert_allclose(found.astype(float), expected, atol=1e-12)


@pytest.mark.parametrize("i", range(6))
def test_other_biases_count_to_the_first_order(i):
    """Residual and error of the prediction fall with the square of the change of a bias."""
    left = []
    for step in (1e-3, 1e-4):
        bias = BIAS + step * np.eye(6)[i]
        R, v, p = end_at(bias)
        residual = inertial_residual(*START, R, v, p, bias, change=change_at(BIAS), gravity=GRAVITY)
        R_found, v_found, p_found = predict_state(*START, bias, change_at(BIAS), GRAVITY)
        turn = log3(R.T @ R_found.astype(float))
        left.append(np.abs(np.concatenate([residual, turn, v_found - v, p_found - p]).astype(float)).max())
    assert left[0] < 1e-6
    assert left[1] < max(0.02 * left[0], 1e-12)
