"""The smoother with torques over time, Runge-Kutta factors and marginalising windows, beside direct integration."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg


def _pushed(t, q, qd):
    return [20.0 * np.sin(5.0 * t) - 0.5 * qd[4]]


@pytest.fixture(scope="module")
def mechanism():
    return sg.load_mechanism("four_bar_angle")


def _distance(mechanism, tau, **options):
    exact = sg.simulate(mechanism, time=0.3, dt=1e-3, method="dop853", tau=tau, rtol=1e-12, atol=1e-12)
    run = sg.simulate(mechanism, time=0.3, dt=1e-3, method="smoother", tau=tau, **options)
    return np.abs(run.q - exact.q).max(), np.abs(run.tau - exact.tau).max()


@pytest.mark.parametrize("integrator", ["trapezoidal", "runge_kutta"])
def test_torques_that_depend_on_time_and_speed_are_followed(mechanism, integrator):
    away, torque = _distance(mechanism, _pushed, integrator=integrator)
    assert away < 3e-6
    assert torque < 1e-4


def test_runge_kutta_factors_are_of_order_four(mechanism):
    assert _distance(mechanism, None, integrator="runge_kutta")[0] < 1e-10


def test_a_marginal_window_gives_the_motion_of_a_pinned_one():
    mechanism = sg.load_mechanism("single_pendulum")
    pinned = sg.simulate(mechanism, time=1.0, dt=1e-3, method="smoother", window=3)
    marginal = sg.simulate(mechanism, time=1.0, dt=1e-3, method="smoother", window=3, marginal=True)
    assert np.abs(marginal.q - pinned.q).max() < 1e-8


def test_a_smoothed_motion_that_is_stopped_keeps_what_was_solved(mechanism):
    seen = []

    def watch(t):
        seen.append(t)
        return t > 0.2

    run = sg.simulate(mechanism, time=1.0, dt=1e-3, method="smoother", watch=watch)
    assert seen[0] == 0.0
    assert 0.2 < run.t[-1] < 1.0


def test_inverse_dynamics_that_is_stopped_keeps_its_stages(mechanism):
    t = np.arange(50) * 0.01
    found = sg.inverse_trajectory(mechanism, {"t": t, "theta": 1.0 - np.cos(t)}, watch=lambda done: done >= 2.0)
    assert len(found.stages) == 3
    assert np.isnan(found.tau).all()
    assert np.abs(found.run.q[:, 4] - (1.0 - np.cos(t))).max() < 1e-3
