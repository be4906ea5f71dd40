"""Torques that are functions of t, q and qd: the default method follows them, or says that it does not."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import screwgraph as sg
from screwgraph.motion.simulation.energy_warning import advice, exchanged_energy
from screwgraph.motion.simulation.methods import AUTO, METHODS
from tests.motion.simulation.robots import pendulum

STEP, TIME, INERTIA = 1e-2, 0.6, 1.5 * 0.8**2
FALL = 9.81 / 0.8
"""Gravity over length of the pendulum (1/s^2)."""


def feedback(rate, ratio=0.0, target=0.5):
    """Return torques by which the pendulum swings about a target at a rate (rad/s), with a ratio of damping."""
    return lambda t, q, qd: INERTIA * (rate**2 * (target - q) - 2.0 * ratio * rate * qd)


def late(t, q, qd):
    """Stiff feedback that is switched on within 50 ms."""
    return INERTIA * np.clip((t - 0.3) * 20.0, 0.0, 1.0) * 3600.0 * (0.5 - q)


CASES = {
    **{f"feedback, omega dt = {x}": (feedback(x / STEP), ()) for x in (0.15, 0.3, 0.6, 1.0)},
    "damped feedback": (feedback(80.0, ratio=0.3), ()),
    "overdamped feedback": (feedback(300.0, ratio=3.0), ()),
    "feedback that comes late": (late, (0.3, 0.35)),
    "a fast sine": (lambda t, q, qd: np.array([20.0 * np.sin(2.0 * np.pi * 70.0 * t)]), ()),
    "a sine of a period dt": (lambda t, q, qd: np.array([20.0 * np.sin(2.0 * np.pi * t / STEP)]), ()),
    "a sine of half a period": (lambda t, q, qd: np.array([20.0 * np.sin(4.0 * np.pi * t / STEP)]), ()),
    "a chirp": (lambda t, q, qd: np.array([10.0 * np.sin(80.0 * t**2)]), ()),
    "a square wave": (lambda t, q, qd: np.array([5.0 if (3.0 * t) % 1.0 < 0.5 else -5.0]), np.arange(1, 4) / 6.0),
    "a push of 2 steps": (lambda t, q, qd: np.array([200.0 if 0.2033 < t < 0.2247 else 0.0]), (0.2033, 0.2247)),
    "a push while at rest": (lambda t, q, qd: np.array([-200.0 if 0.4033 < t < 0.4247 else 0.0]), (0.4033, 0.4247)),
    "a sampled controller": (lambda t, q, qd: np.array([5.0 * np.sin(9 * 0.04 * np.floor(t / 0.04 + 1e-9))]),
                             0.04 * np.arange(1, 15)),
    "saturated feedback": (lambda t, q, qd: np.clip(INERTIA * (900.0 * (0.5 - q) - 6.0 * qd), -20.0, 20.0), ()),
    "friction as tanh": (lambda t, q, qd: -3.0 * np.tanh(qd / 1e-3), ()),
    "friction that slips": (lambda t, q, qd: -1.0 * np.sign(qd), ()),
    "a stiff wall": (lambda t, q, qd: np.where(q < 0.2, 2e4 * (0.2 - q), 0.0), ()),
    "a limit cycle": (lambda t, q, qd: 2.0 * qd * (1.0 - 4.0 * q * q), ()),
}  # fmt: skip
REST = {"a push while at rest"}


def exact(torque, q0, time, breaks):
    """Return the pendulum's angle after a time, by short steps from one break of its torque to the next."""

    def rate(t, y):
        return [y[1], -FALL * np.sin(y[0]) + torque(t, y[:1], y[1:])[0] / INERTIA]

    y, begin, done = [q0, 0.0], 0.0, 0.0
    for end in [b for b in breaks if b < time] + [time]:
        found = solve_ivp(rate, (begin, end), y, "Radau" if done else "DOP853", rtol=1e-11, atol=1e-12, max_step=2e-3)
        y, begin = found.y[:, -1], end
    return y[0]


@pytest.fixture(scope="module")
def bob():
    return pendulum()


@pytest.mark.parametrize("name", CASES)
def test_motions_under_torques_that_are_functions_are_accurate(bob, name):
    torque, breaks = CASES[name]
    q0 = 0.0 if name in REST else 0.3
    run = sg.simulate(bob, [q0], time=TIME, dt=STEP, tau=torque)
    assert run.q[-1, 0] == pytest.approx(exact(torque, q0, TIME, breaks), abs=1e-6)
    assert run.warnings == ()


@pytest.mark.parametrize("q0", [0.3, 1.0, -2.0])
def test_feedback_of_a_closed_form_keeps_its_amplitude(bob, q0):
    """Gravity compensated: q - target = (q0 - target) cos(omega t), omega dt = 0.5."""
    omega, target = 50.0, 0.5
    run = sg.simulate(
        bob, [q0], time=2.0, dt=STEP, tau=lambda t, q, qd: INERTIA * (FALL * np.sin(q) + omega**2 * (target - q))
    )
    np.testing.assert_allclose(run.q[:, 0], target + (q0 - target) * np.cos(omega * run.t), atol=1e-6)
    by_steps = sg.simulate(
        bob, [q0], time=2.0, dt=STEP, method="rk4", tau=lambda t, q, qd: INERTIA * (FALL * np.sin(q) + 2500 * (0.5 - q))
    )
    assert np.abs(by_steps.q - run.q).max() > 1e-3 * abs(q0 - target)  # what the default method keeps away from


@pytest.mark.parametrize("name", ["rr", "five_bar"])
def test_robots_under_stiff_feedback_move_as_scipy_says(name):
    robot = sg.load(name)
    f, q0 = sg.forward_dynamics(robot), sg.simulate(robot, time=1e-2).q[0]
    M = np.diag(sg.mass_matrix(robot)(q0)) if name == "rr" else np.full(robot.nv, 0.1)

    def torque(t, q, qd):
        return M * (60.0**2 * (q0 + 0.1 * np.sin(3.0 * t) - q) - 60.0 * qd)

    run = sg.simulate(robot, q0, time=0.3, dt=STEP, tau=torque)
    rate = lambda t, y: np.concatenate([y[len(q0) :], f(y[: len(q0)], y[len(q0) :], torque(t, *np.split(y, 2)))])  # noqa: E731
    found = solve_ivp(rate, (0.0, 0.3), np.concatenate([q0, 0.0 * q0]), "DOP853", rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(run.q[-1], found.y[: len(q0), -1], atol=1e-7)


@pytest.mark.parametrize("method", ["dop853", "radau5"])
def test_adaptive_methods_do_not_step_over_a_push(bob, method):
    """At rest their steps would grow beyond any push: a push of P for 21.4 ms leaves P t / I rad/s."""

    def push(t, q, qd):
        return [20.0 if 1.5033 < t < 1.5247 else 0.0]

    run = sg.simulate(bob, [0.0], time=1.6, dt=STEP, method=method, tau=push)
    k = int(np.searchsorted(run.t, 1.53))
    assert run.qd[k, 0] == pytest.approx(20.0 * 0.0214 / INERTIA, rel=0.02)


def test_torques_that_no_adaptive_method_follows_are_doubted(bob):
    """Friction as a sign function sticks: its torque jumps from step to step, however short these are."""
    with pytest.warns(RuntimeWarning, match=r"jump too often.*rk4 steps of 0.01 s.*friction=True.*sg.Simulator"):
        run = sg.simulate(bob, [1.0], time=4.0, dt=STEP, tau=lambda t, q, qd: -3.0 * np.sign(qd))
    assert run.method.endswith("rk4")
    assert "jump too often" in run.warnings[0]
    assert abs(run.q[-1, 0]) < np.arcsin(3.0 / (1.5 * 9.81 * 0.8)) + 0.05  # within the range in which it sticks


def test_functions_that_keep_a_state_are_doubted(bob):
    total = np.zeros(1)

    def integral(t, q, qd):
        total[:] += 1e-3 * (0.5 - q)
        return 30.0 * (0.5 - q) + total

    with pytest.warns(RuntimeWarning, match=r"other torques for the same t, q and qd.*sg.Simulator"):
        sg.simulate(bob, [0.0], time=0.2, dt=STEP, tau=integral)


@pytest.mark.parametrize(("method", "dt"), [("rk4", 0.25), ("euler", 0.01), ("radau", 0.3)])
def test_the_advice_for_steps_that_are_too_long_is_a_method_that_helps(bob, method, dt):
    with pytest.warns(RuntimeWarning, match=r'not accurate.*\(take method="auto", or a smaller dt\)'):
        sg.simulate(bob, [2.0], time=30.0, dt=dt, method=method)
    assert sg.simulate(bob, [2.0], time=30.0, dt=dt).energy_drift < 1e-4


def test_the_advice_is_never_the_method_in_use():
    for method in (AUTO, *METHODS):
        assert f'"{method}"' not in advice(method)


def test_the_energy_that_moves_is_that_of_all_its_kinds():
    """A weight that is lifted slowly: a motor does work, and it becomes potential energy, both of them 5 J."""
    none, rises = np.zeros(3), np.array([1.0, 2.0, 6.0])
    assert exchanged_energy(none, none, rises) == 5.0
    assert exchanged_energy(none, rises, none) == 5.0
    assert exchanged_energy(rises, none, none) == 6.0
    assert exchanged_energy(none, rises, rises) >= 5.0
