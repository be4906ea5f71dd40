"""Smoothing splines of rounded and measured samples: closed forms, in the middle and at both ends."""

import math
import re

import numpy as np
import pytest
from scipy.interpolate import BSpline
from scipy.linalg import solve_banded, solve_continuous_are

from screwgraph.motion.estimation.readings.smoothing_spline import (
    DENSEST,
    ORDERS,
    SplineBasis,
    doubt_spacing,
    smooth_samples,
)

N = 600


def sines(t, hz=0.4):
    w = 2.0 * np.pi * hz
    parts = [(1.0, w, 0.0), (0.3, 2.3 * w, 1.0), (0.1, 5.1 * w, 2.0)]
    value, rate, acceleration = (
        sum(a * f**k * np.sin(f * t + p + k * np.pi / 2) for a, f, p in parts) for k in range(3)
    )
    return value, rate, acceleration


def rest_to_rest(t):
    T = t[-1]
    u = t / T
    return (
        u**3 * (10 - 15 * u + 6 * u * u),
        u * u * (30 - 60 * u + 30 * u * u) / T,
        (60 * u - 180 * u**2 + 120 * u**3) / T**2,
    )


def jump(t):
    """Two cubic legs: the acceleration jumps between them."""
    T = t[-1] / 2.0
    u, v = np.clip(t / T, 0.0, 1.0), np.clip(t / T - 1.0, 0.0, 1.0)
    q = u * u * (3 - 2 * u) + 0.7 * v * v * (3 - 2 * v)
    qd = (6 * u * (1 - u) + 4.2 * v * (1 - v)) / T
    return q, qd, np.where(t < T, 6 - 12 * u, 4.2 - 8.4 * v) / T**2


MOTIONS = {"sines": sines, "rest to rest": rest_to_rest, "jump": jump}


def errors(motion, dt, digits, **options):
    """Return errors of accelerations relative to the largest: beyond 20 samples from ends and jump, and at the ends."""
    t = np.arange(N) * dt
    q, _, qdd = MOTIONS[motion](t)
    found = smooth_samples((q if digits is None else np.round(q, digits))[:, None], dt, **options)
    off = np.abs(found.accelerations[:, 0] - qdd) / np.abs(qdd).max()
    away = np.abs(np.arange(N) - N / 2) > 20
    return off[20:-20][away[20:-20]].max(), max(off[:20].max(), off[-20:].max()), found.sigma[0]


@pytest.mark.parametrize("dt", [0.001, 0.005, 0.02])
@pytest.mark.parametrize("digits", [4, 6, 8, 10])
@pytest.mark.parametrize("motion", ["sines", "rest to rest"])
def test_rounded_paths_have_small_errors_up_to_their_ends(motion, digits, dt):
    middle, ends, sigma = errors(motion, dt, digits)
    unit = 10.0**-digits
    # Second differences of rounded samples err by 2 units / dt^2, which here is up to 5 times the largest acceleration.
    assert ends < max(0.04, 20.0 * middle)
    assert middle < 0.02
    # The noise of rounding is the unit / sqrt(12); more where motions between samples are as rough.
    assert 0.1 * unit < sigma < 2.0 * unit


def test_jumps_of_accelerations_leave_the_rest_smooth():
    middle, ends, sigma = errors("jump", 0.005, 8)
    assert max(middle, ends) < 1e-3
    assert 1e-9 < sigma < 6e-9


@pytest.mark.parametrize("dt", [0.001, 0.005, 0.02])
@pytest.mark.parametrize("motion", MOTIONS)
def test_exact_paths_are_not_smoothed(motion, dt):
    middle, ends, _ = errors(motion, dt, None)
    exact = errors(motion, dt, None, sigma=np.zeros(1))
    # No more than what splines of degree 7 through all samples err by, and rounding of doubles.
    assert middle < 10.0 * exact[0] + 1e-8
    assert ends < 10.0 * exact[1] + 1e-7


def test_polynomials_that_the_spline_contains_are_exact():
    t = np.arange(50) * 0.01
    found = smooth_samples((1.0 - 2.0 * t + 3.0 * t**3)[:, None], 0.01)
    np.testing.assert_allclose(found.rates[:, 0], -2.0 + 9.0 * t**2, atol=1e-10)
    np.testing.assert_allclose(found.accelerations[:, 0], 18.0 * t, atol=1e-7)


@pytest.mark.parametrize("sigma", [1e-5, 1e-3])
def test_the_noise_of_measurements_is_found(sigma):
    t = np.arange(2000) * 0.002
    noisy = sines(t)[0] + sigma * np.random.default_rng(0).normal(size=len(t))
    found = smooth_samples(noisy[:, None], 0.002)
    # The standard deviation of an estimate from 2000 samples is 1.6 %.
    assert found.sigma[0] == pytest.approx(sigma, rel=0.08)
    given = smooth_samples(noisy[:, None], 0.002, np.array([sigma]))
    acceleration = np.asarray(sines(t)[2])
    for way in (found, given):
        assert np.abs(way.accelerations[:, 0] - acceleration).std() < 0.05 * acceleration.std()
    stiffer = smooth_samples(noisy[:, None], 0.002, np.array([100.0 * sigma]))
    assert np.abs(np.diff(stiffer.accelerations[:, 0], 2)).max() < np.abs(np.diff(given.accelerations[:, 0], 2)).max()


def test_counts_of_an_encoder_at_slow_motion_are_no_steps():
    t = np.arange(1500) * 0.001
    counts = np.round(0.02 * np.sin(1.3 * t) / 1e-3) * 1e-3
    found = smooth_samples(counts[:, None], 0.001)
    assert np.abs(found.rates[:, 0] - 0.026 * np.cos(1.3 * t)).max() < 0.01
    assert np.abs(found.accelerations[100:-100, 0]).max() < 0.5  # 1e-3 / dt^2 = 1000 between counts


def test_few_samples_and_what_stands_still():
    t = np.arange(8) * 0.1
    found = smooth_samples(np.stack([t**2, np.full(8, 3.0)], axis=1), 0.1)
    np.testing.assert_allclose(found.accelerations, [[2.0, 0.0]] * 8, atol=1e-8)
    assert found.sigma[1] == 0.0


def deviation_of_acceleration(basis, frequency, at):
    """Return the posterior standard deviation of a spline's second derivative, for samples of deviation 1."""
    band = basis.gram + basis.spacing * (frequency * basis.spacing) ** (-2 * basis.order) * basis.penalty
    both = np.concatenate([np.zeros_like(band[1:]), band])
    for k in range(1, len(band)):
        both[len(band) - 1 - k, k:] = band[k, :-k]
    row = np.array([BSpline(basis.knots, unit, 2 * basis.order - 1)(at, 2) for unit in np.eye(basis.count)])
    return math.sqrt(row @ solve_banded((len(band) - 1, len(band) - 1), both, row))


@pytest.mark.parametrize("order", ORDERS)
def test_ends_are_as_exact_as_any_linear_estimate_of_samples_on_one_side(order):
    """An m-fold integrated Wiener process in noise: Wiener's smoother inside, Kalman and Bucy's filter at ends."""
    frequency, samples = 0.1, 1201
    count = math.ceil((samples - 1) / (DENSEST / frequency)) + 1
    basis = SplineBasis.with_count(samples, count, order)
    at_end = deviation_of_acceleration(basis, frequency, samples - 1.0)
    inside = deviation_of_acceleration(basis, frequency, (samples - 1.0) / 2.0)
    # The integral of w^4 / (1 + w^2m) over the frequencies, and the Riccati equation of a chain of m integrators.
    wiener = 1.0 / (2 * order) / math.sin(5.0 * math.pi / (2 * order))
    noise = np.diag(np.eye(order)[-1])
    filtered = solve_continuous_are(np.eye(order, k=-1), np.eye(order)[:, :1], noise, np.eye(1))[2, 2]
    assert inside == pytest.approx(math.sqrt(wiener * frequency**5), rel=0.01)
    assert at_end == pytest.approx(math.sqrt(filtered * frequency**5), rel=0.05)
    assert math.sqrt(filtered / wiener) == pytest.approx({4: 4.0 + 2.0 * math.sqrt(2.0), 6: 22.39}[order], rel=1e-3)


@pytest.mark.parametrize("sigma", [1e-6, 1e-4])
def test_errors_of_noisy_samples_at_ends_are_those_of_the_theory(sigma):
    t = np.arange(N) * 0.005
    q, _, exact = map(np.asarray, sines(t))
    noisy = q[:, None] + sigma * np.random.default_rng(0).standard_normal((N, 100))
    off = smooth_samples(noisy, 0.005, np.full(100, sigma)).accelerations - exact[:, None]
    error = np.sqrt((off**2).mean(axis=1))
    inside = np.sqrt((error[100:-100] ** 2).mean())
    assert max(error[0], error[-1]) < 1.5 * 22.39 * inside  # degree 11; the motion is smoother here than on average


@pytest.mark.parametrize("digits", [None, 5, 8])
@pytest.mark.parametrize("motion", ["sines", "rest to rest"])
def test_close_samples_are_not_doubted(motion, digits):
    t = np.arange(N) * 0.005
    q = np.asarray(MOTIONS[motion](t)[0])[:, None]
    given, free = q if digits is None else np.round(q, digits), np.full(1, np.nan)
    assert doubt_spacing(["joint"], given, free, smooth_samples(given, 0.005), t) == ()


@pytest.mark.parametrize("dt", [0.1, 0.15, 0.2, 0.3])
def test_samples_that_miss_the_motion_are_doubted(dt):
    """The fastest of the sines has 2 Hz: five samples a period or fewer."""
    t = np.arange(100) * dt
    q, _, exact = map(np.asarray, sines(t))
    found = smooth_samples(q[:, None], dt)
    assert np.abs(found.accelerations[6:-6, 0] - exact[6:-6]).max() > 0.01 * np.abs(exact).max()
    (doubt,) = doubt_spacing(["joint"], q[:, None], np.full(1, np.nan), found, t)
    assert re.search("of joint .* samples are too far apart", doubt)
