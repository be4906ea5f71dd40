"""Motions that are known in closed form, or by conservation laws, or from another library."""

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import screwgraph as sg
from screwgraph.model.robot import link_poses, with_floating_base, without_damping
from screwgraph.model.robot.joints import Spherical
from screwgraph.spatial import rotation
from tests.motion.simulation.robots import BODY, free_body, pendulum
from tests.oracle import oracle, to_pin_q, to_pin_v
from tests.robots import built_in_robots

TREES = [name for name, robot in built_in_robots().items() if not robot.is_closed]
EXACT = {
    "rk4": 1e-9,
    "dop853": 1e-8,
    "trapezoidal": 1e-4,
    "semi_implicit": 2e-2,
    "linear_acceleration": 1e-4,
    "radau": 1e-8,
}
"""Methods, and what they may err by on an ordinary motion of a second in steps of 1 ms."""


@pytest.mark.parametrize("method", EXACT)
def test_a_pendulum_swings_by_elliptic_functions(method):
    start, length = 2.5, 0.8
    run = sg.simulate(pendulum(length), [start], time=2.0, dt=1e-3, method=method)
    m = np.sin(start / 2.0) ** 2
    _, cn, dn, _ = ellipj(np.sqrt(9.81 / length) * run.t, m)
    expected = 2.0 * np.arcsin(np.sqrt(m) * cn / dn)
    np.testing.assert_allclose(run.q[:, 0], expected, atol=EXACT[method])


def test_its_period_is_the_complete_elliptic_integral():
    start, length = 1.2, 0.8
    period = 4.0 * np.sqrt(length / 9.81) * ellipk(np.sin(start / 2.0) ** 2)
    run = sg.simulate(pendulum(length), [start], time=period, dt=period / 2000)
    np.testing.assert_allclose(run.q[-1], [start], atol=1e-11)
    np.testing.assert_allclose(run.qd[-1], [0.0], atol=1e-9)
    assert run.t[-1] == pytest.approx(period)


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_a_tumbling_body_keeps_its_momentum_and_its_energy(method):
    robot = free_body()
    q0 = robot.random(np.random.default_rng(0))
    run = sg.simulate(robot, q0, [1.0, 4.0, 0.5, 0.3, -0.2, 0.1], time=5.0, dt=2e-3, method=method)
    momenta = [_momentum_in_space(robot, q, qd) for q, qd in zip(run.q, run.qd, strict=True)]
    np.testing.assert_allclose(momenta, np.tile(momenta[0], (len(momenta), 1)), atol=2e-7)
    assert run.energy_drift < 1e-8 * run.energy[0]


def _momentum_in_space(robot, q, qd):
    """Angular momentum about the origin of space, and linear momentum."""
    T = link_poses(robot, q)["body"]
    moment, force = np.split(BODY.matrix() @ qd, 2)
    linear = rotation(T) @ force
    return np.concatenate([rotation(T) @ moment + np.cross(T[:3, 3], linear), linear])


@pytest.mark.parametrize("method", EXACT)
def test_quaternions_stay_unit(method):
    for robot in (free_body(), free_body(Spherical())):
        run = sg.simulate(robot, qd0=np.full(robot.nv, 3.0), time=1.0, dt=2e-3, method=method)
        np.testing.assert_allclose(np.linalg.norm(run.q[:, -4:], axis=1), 1.0, rtol=1e-15, atol=1e-15)


def test_a_screw_motion_is_followed_exactly_whatever_the_step():
    robot = free_body(Spherical())
    axis = np.linalg.eigh(BODY.about_origin)[1][:, 0]
    run = sg.simulate(robot, qd0=2.0 * axis, time=3.0, dt=1.0)
    np.testing.assert_allclose(run.q[-1], [*(np.sin(3.0) * axis), np.cos(3.0)], atol=1e-12)


@pytest.mark.parametrize("floating", [False, True])
def test_an_arm_moves_as_pinocchio_and_scipy_say(floating):
    robot = sg.load("iiwa14")
    robot = with_floating_base(robot) if floating else robot
    rng = np.random.default_rng(3)
    q0, qd0 = robot.random(rng), rng.normal(size=robot.nv)
    tau = rng.normal(size=robot.nv)
    run = sg.simulate(robot, q0, qd0, time=0.5, dt=5e-4, tau=tau)
    q, qd = _by_pinocchio(robot, q0, qd0, tau, 0.5)
    model = oracle(robot).model
    np.testing.assert_allclose(to_pin_q(robot, run.q[-1], model), q, atol=1e-8)
    np.testing.assert_allclose(to_pin_v(robot, run.q[-1], run.qd[-1], model), qd, atol=1e-7)


def _by_pinocchio(robot, q0, qd0, tau, time):
    """Pinocchio's articulated bodies, in its own coordinates, on the tangent space at the beginning."""
    sample = oracle(robot)
    model, data = sample.model, sample.data
    start = to_pin_q(robot, q0, model)
    damping = np.concatenate([np.full(j.type.nv, j.damping) for j in robot.joints])
    effort = np.concatenate([tau[3:6], tau[:3], tau[6:]]) if robot.nq > robot.nv else tau
    assert not damping.any()

    def rate(t, y):
        step, v = np.split(y, 2)
        q = pin.integrate(model, start, step)
        dq = np.linalg.solve(pin.dIntegrate(model, start, step)[1], v)
        return np.concatenate([dq, pin.aba(model, data, q, v, effort)])

    y0 = np.concatenate([np.zeros(model.nv), to_pin_v(robot, q0, qd0, model)])
    end = solve_ivp(rate, (0.0, time), y0, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    return pin.integrate(model, start, end[: model.nv]), end[model.nv :]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", TREES)
def test_robots_keep_their_energy_for_ten_seconds(name):
    robot = without_damping(sg.load(name))
    q0 = 0.5 * robot.random(np.random.default_rng(1))
    run = sg.simulate(robot, q0, time=10.0, dt=1e-3)
    swing = np.ptp(run.energy - _potential(robot, run))
    assert len(run.t) == 10_001
    assert run.energy_drift < 1e-5 * swing
    assert not run.violation.any()


def _potential(robot, run):
    sample = oracle(robot)
    at_rest = np.zeros(robot.nv)
    return np.array([sample.energy(q, at_rest) for q in run.q[::100]])[np.arange(len(run.t)) // 100]


def test_energy_is_that_of_pinocchio():
    robot = sg.load("a1", base="floating")
    rng = np.random.default_rng(5)
    run = sg.simulate(robot, robot.random(rng), rng.normal(size=robot.nv), time=0.05, dt=1e-2)
    sample = oracle(robot)
    np.testing.assert_allclose(run.energy, [sample.energy(q, qd) for q, qd in zip(run.q, run.qd, strict=True)])
