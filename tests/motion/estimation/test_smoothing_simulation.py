"""Fixed-lag smoothing of robots against adaptive integration: each integrator converges with its order."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.motion.integration_rules import RULES
from tests.motion.estimation.robots import moving
from tests.motion.simulation.robots import BODY
from tests.suites import in_suites


def push(t, q, qd):
    return np.resize([np.cos(3.0 * t), -0.5], qd.shape)


@pytest.mark.parametrize("name", ["rr", in_suites("thrown"), in_suites("five_bar")])
@pytest.mark.parametrize("integrator", ["trapezoidal", "radau", "hermite_simpson"])
@pytest.mark.sampled(3)
def test_halving_the_step_shows_the_order(name, integrator):
    robot, q0, qd0 = moving(name)
    errors = []
    for dt in (0.02, 0.01):
        options = {"time": 0.4, "dt": dt, "tau": push}
        exact = sg.simulate(robot, q0, qd0, method="dop853", rtol=1e-12, atol=1e-12, **options)
        run = sg.simulate(robot, q0, qd0, method="smoother", integrator=integrator, **options)
        errors.append(np.abs(np.hstack([run.q - exact.q, run.qd - exact.qd])).max())
        assert run.violation.max() < 1e-6
    assert np.log2(errors[0] / errors[1]) == pytest.approx(RULES[integrator].order, abs=0.5)


@pytest.mark.parametrize("name", ["rr", in_suites("thrown"), "five_bar"])
@pytest.mark.sampled(2)
def test_a_longer_or_a_marginal_window_finds_the_same_motion(name):
    """The equations determine the motion; windows differ by what they remember of rounding."""
    robot, q0, qd0 = moving(name)
    options = {"time": 0.3, "dt": 0.01, "method": "smoother", "tau": push}
    short = sg.simulate(robot, q0, qd0, **options)
    for more in ({"window": 5}, {"window": 3, "marginal": True}):
        run = sg.simulate(robot, q0, qd0, **options, **more)
        tolerance = 1e-3 if robot.is_closed else 1e-5  # of loops, redundant equations are weighed otherwise
        np.testing.assert_allclose(run.q, short.q, atol=tolerance)


@pytest.mark.parametrize("integrator", ["radau", in_suites("hermite_simpson")])
@pytest.mark.parametrize("name", ["rr", in_suites("thrown"), in_suites("five_bar")])
def test_points_inside_steps_are_marginalised_like_instants(name, integrator):
    robot, q0, qd0 = moving(name)
    options = {"time": 0.3, "dt": 0.01, "method": "smoother", "tau": push, "integrator": integrator}
    short = sg.simulate(robot, q0, qd0, **options)
    run = sg.simulate(robot, q0, qd0, **options, window=3, marginal=True)
    np.testing.assert_allclose(run.q, short.q, atol=1e-5 if robot.is_closed else 1e-9)


def test_dampers_that_are_faster_than_the_steps_decay():
    """By default rules are L-stable there: a wheel whose speed dies within 1/30 of a step has none after one."""
    wheel = tree("wheel", [Link("world"), Link("rim", BODY)], [Joint("axle", Revolute(), "world", "rim")])
    inertia = sg.mass_matrix(wheel)([0.0])[0, 0]
    wheel = replace(wheel, joints=(replace(wheel.joints[0], damping=30.0 * inertia / 0.02),))
    options = {"time": 0.1, "dt": 0.02, "method": "smoother", "window": 4}
    for more in ({}, {"marginal": True}):
        run = sg.simulate(replace(wheel, gravity=(0.0, 0.0, 0.0)), [0.0], [1.0], **options, **more)
        assert np.abs(run.qd[2:]).max() < 0.01


def test_energy_of_a_free_motion_stays():
    robot, q0, qd0 = moving("five_bar")
    run = sg.simulate(robot, q0, qd0, time=0.5, dt=5e-3, method="smoother", integrator="hermite_simpson")
    assert run.energy_drift < 1e-5 * np.abs(run.energy).max()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"integrator": "rk5"}, r"no integrator is called 'rk5'"),
        ({"coordinates": "independent"}, r"the smoother of robots has no independent coordinates"),
        ({"window": 1}, r"window = 1 is not a number of states from 2"),
        ({"rtol": 1e-6}, r"rtol= cannot be used here"),
    ],
)
def test_bad_options_are_one_line(options, line):
    with pytest.raises(sg.InputError, match=line) as caught:
        sg.simulate(sg.load("rr"), time=0.1, dt=0.01, method="smoother", **options)
    assert "\n" not in str(caught.value)


def test_a_watch_ends_the_simulation():
    run = sg.simulate(sg.load("rr"), time=5.0, dt=0.01, method="smoother", watch=lambda t: t >= 1.0)
    assert 1.0 <= run.t[-1] < 2.1


def test_a_long_window_knows_torques_between_its_instants():
    robot, q0, qd0 = moving("rr")
    options = {"time": 0.2, "dt": 0.02, "method": "smoother", "integrator": "hermite_simpson", "tau": push}
    whole = sg.simulate(robot, q0, qd0, **options, window=11)
    np.testing.assert_allclose(whole.q, sg.simulate(robot, q0, qd0, **options).q, atol=1e-6)
