"""Bad arguments of `simulate` are one line each, before any work."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.integration_rules import RULES
from tests.motion.simulation.robots import free_body, pendulum

BAD = {
    "no step": ({"dt": 0.0}, "dt = 0.0 is not a positive, finite number of seconds"),
    "steps back": ({"dt": -1e-3}, "dt = -0.001 is not a positive"),
    "no number": ({"dt": "fast"}, "dt: expected a number, got str 'fast'"),
    "NaN as a time": ({"time": np.nan}, "time: expected a number, got float nan"),
    "endless": ({"time": np.inf}, "time = inf is not a positive"),
    "no multiple": ({"time": 1.0, "dt": 0.3}, r"time = 1 s is not a multiple of dt = 0.3 s \(take time = 0.9"),
    "a step longer than the motion": ({"time": 0.1, "dt": 0.4}, r"not a multiple .* \(take time = 0.4 or dt = 0.1\)"),
    "too many states": ({"time": 1e9}, "too many states to keep"),
    "an unknown method": ({"method": "rk5"}, r"no method is called 'rk5' \(did you mean rk4"),
    "too many positions": ({"q0": [1.0, 2.0]}, "q0 is not 1 finite numbers"),
    "positions that are none": ({"q0": ["up"]}, "q0 is not 1 finite numbers"),
    "NaN as a position": ({"q0": [np.nan]}, "q0 is not 1 finite numbers"),
    "infinite velocity": ({"qd0": [np.inf]}, "qd0 is not 1 finite numbers"),
    "too many efforts": ({"tau": [1.0, 2.0]}, "tau is not 1 finite numbers"),
    "NaN as an effort": ({"tau": [np.nan]}, "tau is not 1 finite numbers"),
    "a controller of another robot": (
        {"tau": lambda t, q, qd: np.zeros(3)},
        "what the function tau returns at t = 0 s is not 1 finite numbers",
    ),
    "a controller that fails": (
        {"tau": lambda t, q, qd: [np.nan if t > 0.1 else 0.0]},
        "at t = 0.1005 s is not 1 finite numbers",
    ),
    "no tolerance": ({"rtol": 0.0}, "rtol: expected a tolerance, got 0.0"),
}


@pytest.mark.parametrize(("options", "complaint"), BAD.values(), ids=BAD)
def test_it_is_said_in_one_line(options, complaint):
    with pytest.raises(sg.InputError, match=complaint) as caught:
        sg.simulate(pendulum(), **options)
    assert "\n" not in str(caught.value)


def test_quaternions_must_be_unit():
    with pytest.raises(sg.InputError, match=r"the position of joint .free. in q0 is not a position .* of length 1"):
        sg.simulate(free_body(), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0])
    run = sg.simulate(free_body(), [0.0, 0.0, 0.0, 0.7071, 0.0, 0.0, 0.7071], time=0.01)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, 3:], axis=1), 1.0, rtol=1e-15)


def test_arguments_stay_as_they_were():
    q0, qd0 = free_body().neutral(), np.ones(6)
    sg.simulate(free_body(), q0, qd0, time=0.01)
    np.testing.assert_array_equal(q0, free_body().neutral())
    np.testing.assert_array_equal(qd0, np.ones(6))


def test_a_velocity_beyond_all_bounds_is_one_line():
    """Powers of the angle that a body turns by would overflow."""
    with pytest.raises(sg.InputError, match=r"diverged|is not .* finite|finds no step"):
        sg.simulate(free_body(), qd0=np.full(6, 1e150), time=0.01)


@pytest.mark.parametrize("method", ["rk4", "dop853", "euler", "semi_implicit", "trapezoidal"])
def test_a_motion_that_ends_at_infinity_is_one_line(method):
    complaint = "diverged|finds no step|has no solution nearby"  # the controller is not blamed
    with pytest.raises(sg.InputError, match=complaint) as caught:
        sg.simulate(pendulum(), [1.0], [1.0], method=method, tau=lambda t, q, qd: 10.0 * qd**3)
    assert "\n" not in str(caught.value)


def test_a_watch_sees_the_time_and_can_end_the_motion():
    seen = []

    def until_two(t):
        seen.append(t)
        return t >= 2.0

    run = sg.simulate(pendulum(), [1.0], time=5.0, watch=until_two)
    assert seen[0] == 0.0
    assert seen == sorted(seen)
    assert 2.0 <= run.t[-1] < 2.2
    assert len(run.q) == len(run.energy) == len(run.t)
    whole = sg.simulate(pendulum(), [1.0], time=5.0, watch=seen.append)
    assert whole.t[-1] == seen[-1] == 5.0


def test_a_motion_ended_at_once_has_one_state():
    run = sg.simulate(pendulum(), [1.0], watch=lambda t: True)
    assert len(run.t) == 1
    assert run.energy_drift == 0.0


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 5e-2])
@pytest.mark.parametrize("method", [name for name, rule in RULES.items() if not rule.is_explicit])
@pytest.mark.sampled(3)
def test_implicit_rules_do_not_step_over_the_end_of_a_motion(method, dt):
    """Velocities become infinite at t = 0.33 s; the equations of a step have solutions beyond."""
    with pytest.raises(sg.InputError, match=r"too long|has no solution nearby"):
        sg.simulate(pendulum(), [1.0], [1.0], time=1.0, dt=dt, method=method, tau=lambda t, q, qd: 10.0 * qd**3)


def test_a_motion_whose_energy_comes_from_nowhere_is_not_returned_without_a_warning():
    robot, run = pendulum(), None
    with pytest.warns(RuntimeWarning, match=r"by euler is not accurate, or diverged: .* J of the .* J that move"):
        run = sg.simulate(robot, [1.0], time=20.0, dt=0.05, method="euler")
    assert run.energy_drift > 1.0


def test_a_controller_may_write_to_its_arguments():
    robot, start = sg.load("rr"), ([0.3, 0.2], [0.5, -0.5])

    def vandal(t, q, qd):
        q[:], qd[:] = 7.0, -7.0
        return np.zeros(2)

    run = sg.simulate(robot, *start, time=0.1, tau=vandal)
    np.testing.assert_array_equal(run.q, sg.simulate(robot, *start, time=0.1, tau=lambda t, q, qd: np.zeros(2)).q)
    mechanism = sg.load_mechanism("four_bar_angle")
    quiet = sg.simulate(mechanism, time=0.1, tau=lambda t, q, qd: np.zeros(len(mechanism.motors)))

    def vandal_of_mechanisms(t, q, qd):
        q[:], qd[:] = 7.0, -7.0
        return np.zeros(len(mechanism.motors))

    np.testing.assert_array_equal(sg.simulate(mechanism, time=0.1, tau=vandal_of_mechanisms).q, quiet.q)


@pytest.mark.parametrize("wrong", [lambda q, qd: -qd, lambda q, qd, t: -qd, lambda t, q, qd, more: -qd])
@pytest.mark.parametrize("move", [sg.simulate, sg.rollout])
def test_torques_as_functions_of_other_arguments(move, wrong):
    with pytest.raises(sg.InputError, match=r"the function tau takes \(.*\): it is called as tau\(t, q, qd\)"):
        move(sg.load("rr"), time=0.01, dt=0.01, tau=wrong)


@pytest.mark.parametrize("move", [sg.simulate, sg.rollout])
def test_a_function_that_returns_nothing_is_no_torque_of_zero(move):
    """Who forgets `return` would see a robot that falls."""
    with pytest.raises(sg.InputError, match=r"the function (tau )?returns .*(None|NoneType)"):
        move(sg.load("rr"), time=0.01, dt=0.01, tau=lambda t, q, qd: None)


@pytest.mark.parametrize("right", [lambda t, q, qd: -qd, lambda *state: -state[2], lambda s, x, v, gain=1.0: -gain * v])
def test_torques_as_functions_that_fit(right):
    damped = sg.simulate(sg.load("rr"), qd0=[1.0, -2.0], time=0.02, dt=0.01, method="rk4", tau=right)
    fluid = replace(sg.load("rr"), joints=tuple(replace(joint, damping=1.0) for joint in sg.load("rr").joints))
    expected = sg.simulate(fluid, qd0=[1.0, -2.0], time=0.02, dt=0.01, method="rk4")
    np.testing.assert_allclose(damped.q, expected.q, atol=1e-12)
