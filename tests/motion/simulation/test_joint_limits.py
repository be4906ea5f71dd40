"""Joint limits in simulations: doubts where they are passed, stops and friction as closed forms and events say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import screwgraph as sg
from screwgraph.model.robot.parts import Limits
from tests.motion.simulation.robots import pendulum
from tests.motion.simulation.test_joint_forces import MASS, block

OPTIONS = ("friction", "stops", "effort_limits")


def with_limits(robot, *limits, friction=0.0):
    joints = zip(robot.joints, limits, strict=True)
    return replace(robot, joints=tuple(replace(joint, limits=own, friction=friction) for joint, own in joints))


ARM = with_limits(sg.load("rr"), Limits(), Limits(-0.6, 0.6))


def test_a_joint_that_leaves_its_range_is_doubted_with_name_time_and_amount():
    robot = block(limits=Limits(-1.0, 0.5, effort=3.0))
    run = sg.simulate(robot, qd0=[2.0], time=1.0, dt=1e-2)  # x = 2 t
    (doubt,) = run.doubts
    assert doubt.startswith(
        "joint 'slide' leaves its range (-1 to 0.5 m) from t = 0.26 s on, by up to 1.5 m at t = 1 s"
    )
    assert "stops=True" in doubt
    assert repr(run).endswith("1 doubt>")
    assert sg.simulate(robot, qd0=[0.45], time=1.0, dt=1e-2).doubts == ()


def test_every_joint_that_leaves_its_range_is_listed_the_worst_first():
    robot = with_limits(sg.load("rr"), Limits(-0.1, 0.1), Limits(-1e-3, None))
    run = sg.simulate(robot, [0.3, 0.0], [0.0, 0.0], time=0.5)
    below = [0.1 - run.q[:, 0].min() - 0.2, -1e-3 - run.q[:, 1].min()]
    beyond = max(-0.1 - run.q[:, 0].min(), run.q[:, 0].max() - 0.1)
    names = [name for name in ("joint1", "joint2") if {"joint1": beyond, "joint2": below[1]}[name] > 0]
    assert all(repr(name) in run.doubts[0] for name in names)
    assert "joint1" in names
    assert f"by up to {max(beyond, below[1]):.3g} rad" in run.doubts[0]


def test_torques_beyond_the_limits_of_the_file_are_doubted_or_cut():
    robot = block(limits=Limits(effort=3.0))
    free = sg.simulate(robot, time=1.0, tau=[8.0])
    assert "more than its effort limit (3 N) from t = 0 s on, by up to 5 N" in free.doubts[0]
    for tau in ([8.0], lambda t, q, qd: [8.0 + t]):
        cut = sg.simulate(robot, time=1.0, tau=tau, effort_limits=True)
        assert cut.doubts == ()
        assert cut.q[-1, 0] == pytest.approx(0.5 * 3.0 / MASS, abs=1e-9)
        np.testing.assert_array_equal(cut.tau, 3.0)
        assert cut.energy_drift < 1e-9


def test_options_mean_what_they_mean_to_a_simulator():
    robot = with_limits(sg.load("rr"), Limits(effort=5.0), Limits(-0.6, 0.6), friction=0.3)
    simulator = sg.Simulator(robot, 1e-3, [0.3, 0.2], **dict.fromkeys(OPTIONS, True))
    simulator.step([9.0, 0.4], 400)
    run = sg.simulate(robot, [0.3, 0.2], time=0.4, tau=[9.0, 0.4], **dict.fromkeys(OPTIONS, True))
    np.testing.assert_array_equal(run.q[-1], simulator.q)
    np.testing.assert_array_equal(run.qd[-1], simulator.qd)
    assert run.method == "semi_implicit"
    np.testing.assert_array_equal(run.tau, np.tile([5.0, 0.4], (401, 1)))
    np.testing.assert_allclose(run.qdd[:-1], np.diff(run.qd, axis=0) / 1e-3, rtol=1e-12)


def test_friction_stops_a_block_where_its_law_says_and_takes_its_energy():
    level, v = 4.0, 1.0
    run = sg.simulate(block(friction=level), qd0=[v], time=1.0, friction=True)
    assert run.q[-1, 0] == pytest.approx(MASS * v**2 / 2.0 / level, abs=v * 1e-3)
    assert run.work[-1] == pytest.approx(-0.5 * MASS * v**2, rel=1e-6)
    assert run.energy_drift < 1e-6


def test_a_stop_takes_the_kinetic_energy_of_an_impact():
    run = sg.simulate(block(limits=Limits(-1.0, 0.5)), qd0=[2.0], time=1.0, stops=True)
    np.testing.assert_allclose(run.q[:, 0], np.minimum(2.0 * run.t, 0.5), atol=1e-9)
    assert run.work[-1] == pytest.approx(-0.5 * MASS * 2.0**2, rel=1e-9)
    assert run.doubts == ()


def test_work_of_dampers_counts_beside_that_of_stops():
    """A block of 2 kg that 1 N s/m damp runs 0.5 m into a stop: its velocity falls by d x / m on the way."""
    run = sg.simulate(block(damping=1.0, limits=Limits(-1.0, 0.5)), qd0=[2.0], time=1.0, stops=True)
    reached = 2.0 - 0.5 / MASS
    before = int(np.argmax(run.q[:, 0] > 0.5 - 1e-2))
    assert run.qd[before, 0] == pytest.approx(reached, abs=0.02)
    assert run.work[before] == pytest.approx(0.5 * MASS * (run.qd[before, 0] ** 2 - 4.0), rel=1e-3)
    assert run.energy_drift < 1e-3


def test_the_balance_sees_energy_that_no_law_explains():
    """Work of friction is bounded by its law: what a wrong motion gains, or loses beyond it, is a residual."""
    from screwgraph.motion.simulation.joint_force_steps import work_of
    from screwgraph.motion.simulation.model_dynamics import dynamics_of
    from screwgraph.motion.simulation.step_options import StepOptions

    robot, t = block(friction=1.0), 1e-3 * np.arange(101)
    qd = np.linspace(1.0, 0.5, 101)[:, None]  # as if friction was 5 m/s^2 * 2 kg = 10 N
    q = np.concatenate([[[0.0]], np.cumsum(1e-3 * qd[1:], axis=0)])
    work = work_of(StepOptions(friction=True), dynamics_of(robot), t, q, qd, np.zeros((101, 1)))
    way = 1e-3 * (qd[1:] + qd[:-1]).sum() / 2.0
    assert work.sum() == pytest.approx(-1.0 * way, rel=1e-9)


def by_events(robot, q, qd, time):
    """Integrate an arm whose second joint stops at its limits: inelastic impacts, contact until it is pulled off."""
    M, bias, F = sg.mass_matrix(robot), sg.bias_forces(robot), sg.forward_dynamics(robot)
    (low, high), held, t = (robot.joints[1].limits.lower, robot.joints[1].limits.upper), 0, 0.0
    y = np.concatenate([q, qd])

    def free(t, y):
        return np.concatenate([y[2:], F(y[:2], y[2:], np.zeros(2))])

    def standing(t, y):
        still = np.array([y[2], 0.0])
        return np.array([y[2], 0.0, -bias(y[:2], still)[0] / M(y[:2])[0, 0], 0.0])

    def reaction(t, y):
        """The torque of the stop on the joint: it pushes away from the limit while there is contact."""
        qdd = standing(t, y)[2:]
        return (M(y[:2]) @ qdd + bias(y[:2], np.array([y[2], 0.0])))[1] * -held

    reaches = [lambda t, y: y[1] - high, lambda t, y: y[1] - low]
    reaches[0].direction, reaches[1].direction, reaction.direction = 1.0, -1.0, -1.0
    for event in (*reaches, reaction):
        event.terminal = True
    for _ in range(50):
        law, events = (standing, [reaction]) if held else (free, reaches)
        found = solve_ivp(law, (t, time), y, "DOP853", events=events, rtol=1e-10, atol=1e-11)
        t, y = found.t[-1], found.y[:, -1]
        if found.status == 0:
            return y[:2], y[2:]
        if held:
            held = 0
            continue
        held = 1 if len(found.t_events[0]) else -1
        A = M(y[:2])
        y = np.array([y[0], high if held > 0 else low, y[2] + A[0, 1] / A[0, 0] * y[3], 0.0])
        if reaction(t, y) < 0.0:
            held = 0
    raise AssertionError("too many impacts")


@pytest.mark.parametrize(("q0", "qd0"), [((0.4, 0.2), (0.0, 2.0)), ((1.0, 0.0), (0.0, 0.0)), ((-0.5, 0.3), (1.0, 4.0))])
def test_impacts_of_an_arm_are_those_of_an_event_driven_integration(q0, qd0):
    time, errors = 0.6, []
    exact, _ = by_events(ARM, np.array(q0), np.array(qd0), time)
    for dt in (1e-3, 2.5e-4):
        run = sg.simulate(ARM, q0, qd0, time=time, dt=dt, stops=True)
        assert np.abs(run.q[:, 1]).max() <= 0.6 + 1e-9
        errors.append(np.abs(run.q[-1] - exact).max())
    assert errors[0] < 1e-2
    assert errors[1] < 0.4 * errors[0]  # order 1: a fourth


def test_energy_is_accounted_for_through_impacts_and_friction():
    robot = with_limits(sg.load("rr"), Limits(-0.3, 0.3), Limits(-0.6, 0.6), friction=0.2)
    drifts = []
    for dt in (2e-3, 1e-3, 5e-4):
        run = sg.simulate(robot, [0.2, 0.0], [2.0, -3.0], time=1.0, dt=dt, stops=True, friction=True)
        drifts.append(run.energy_drift)
        assert run.work.min() < -0.5 * np.ptp(run.energy)
        assert (np.diff(run.work) <= 1e-12).all()  # neither brings energy
    assert drifts[2] < 0.4 * drifts[0]


def test_closed_chains_stop_too():
    robot = sg.load("five_bar")
    q0 = sg.simulate(robot, time=1e-2).q[0]
    joints = tuple(
        replace(j, limits=Limits(q0[0] - 0.1, q0[0] + 0.1)) if not i else j for i, j in enumerate(robot.joints)
    )
    held = sg.simulate(replace(robot, joints=joints), q0, time=1.0, stops=True)
    assert np.abs(held.q[:, 0] - q0[0]).max() <= 0.1 + 1e-4  # a stop yields a little, as its inertia is finite
    assert held.violation.max() < 1e-8
    assert np.ptp(sg.simulate(robot, q0, time=1.0).q[:, 0]) > 0.2


@pytest.mark.parametrize("option", ["friction", "stops"])
@pytest.mark.parametrize("method", ["rk4", "radau5", "dop853"])
def test_methods_without_these_laws_refuse_them(option, method):
    with pytest.raises(sg.InputError, match=rf"{option} by method '{method}'.*order 1.*semi_implicit"):
        sg.simulate(ARM, time=0.1, method=method, **{option: True})


@pytest.mark.parametrize("option", OPTIONS)
def test_mechanisms_and_smoothers_have_no_such_options(option):
    if option != "friction":
        with pytest.raises(sg.InputError, match=rf"{option} of a mechanism"):
            sg.simulate(sg.load_mechanism("four_bar"), time=0.1, **{option: True})
    with pytest.raises(sg.InputError, match=rf"{option}= cannot be used here.*smoother"):
        sg.simulate(ARM, time=0.1, method="smoother", **{option: True})


def test_torques_of_a_function_are_held_over_steps_that_stop():
    robot, seen = block(limits=Limits(-1.0, 0.5)), []
    run = sg.simulate(robot, time=0.5, dt=1e-2, stops=True, tau=lambda t, q, qd: seen.append(t) or [4.0 * t])
    assert run.q[-1, 0] < 0.5
    v = np.concatenate([[0.0], np.cumsum(1e-2 * 4.0 / MASS * run.t[:-1])])
    np.testing.assert_allclose(run.qd[:, 0], v, atol=1e-12)


def test_a_pendulum_rests_on_its_stop():
    robot = with_limits(pendulum(), Limits(0.4, 2.0))
    run = sg.simulate(robot, [1.0], time=2.0, stops=True)
    assert run.q[-1, 0] == pytest.approx(0.4, abs=1e-6)
    assert run.qd[-1, 0] == pytest.approx(0.0, abs=1e-6)
    height = 1.5 * 9.81 * 0.8 * (np.cos(0.4) - np.cos(1.0))
    assert run.energy[-1] - run.energy[0] == pytest.approx(-height, rel=1e-6)
