"""Controllers in the loop: plants that are 5 % heavier than the model, commands that act a tick late, noisy states."""

import numpy as np
import pytest
from tests.motion.control.predictive.test_optima import arm

import screwgraph as sg
from screwgraph.motion.control import HorizonLimits, stack_references, stack_weights

FINE = 4
"""Steps of the plant in a tick."""


def heavier(robot, part):
    masses = {name: np.array(robot.link(name).inertia.parameters) for name in robot.link_names[1:]}
    return {name: (1.0 + part) * values for name, values in masses.items() if values[0] > 0.0}


def follow(robot, control, references, weights, q0, qd0, dt, ticks, *, driven, noise=(0.0, 0.0), kick=None):
    """Return positions, velocities, efforts and solutions; the model predicts where the waiting command leads."""
    rng, n = np.random.default_rng(1), robot.nv
    plant = sg.Simulator(robot, dt=dt / FINE, q0=q0, qd0=qd0, parameters=heavier(robot, 0.05))
    model = sg.Simulator(robot, dt=dt / FINE, q0=q0)
    previous, waiting = np.zeros(control.arguments[-1].shape), np.zeros(n)
    found = []
    for k in range(ticks):
        if kick is not None and k == kick[0]:
            plant.reset(plant.q, plant.qd + kick[1])
        model.reset(*(x + s * rng.standard_normal(n) for x, s in zip((plant.q, plant.qd), noise, strict=True)))
        for each in (model, plant):
            for _ in range(FINE):
                each.step(waiting)
        tau, *_, previous, solution = control(model.q, model.qd, references, weights, 1.0, previous)
        waiting = np.zeros(n)
        waiting[driven] = tau
        found.append((plant.q.copy(), plant.qd.copy(), tau, solution))
    return [np.array(x) for x in zip(*found, strict=True)]


def test_a_cart_catches_its_pole_and_stays_within_its_rail():
    robot, dt = sg.load("cart_pole"), 0.02
    limits = HorizonLimits(effort={"x": 20.0}, lower={"x": -1.0}, upper={"x": 1.0}, penalty=(10.0, 100.0))
    control = sg.mpc(robot, dt, 50, actuated=["x"], limits=limits)
    weights = stack_weights(robot, position=[1.0, 10.0], velocity=0.1, effort=0.01, actuated=["x"])
    references, blow = stack_references(control, [0.0, np.pi]), (150, np.array([0.0, 1.0]))
    start = [0.6, np.pi - 0.3]  # to catch the pole, the cart runs towards the end of its rail
    q, _, tau, solution = follow(
        robot, control, references, weights, start, [0.0, 0.0], dt, 300, driven=[0], noise=(1e-3, 1e-2), kick=blow
    )
    assert np.abs(q[:, 0]).max() < 1.07
    for settled in (q[130:150], q[-20:]):
        assert np.abs(settled[:, 1] - np.pi).max() < 0.1
        assert np.abs(settled[:, 0]).max() < 0.2
    assert np.abs(tau).max() <= 20.0
    assert np.isfinite(solution).all()


@pytest.mark.parametrize("speed", [0.0, 3.0])
def test_an_arm_jumps_within_its_torques(speed):
    robot, (control, weights), dt = sg.load("panda"), arm(), 0.01
    start = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
    goal = start + np.array([1.2, 0.3, -0.2, 0.3, 0.2, 0.2, -1.2])
    references = stack_references(control, goal, effort=sg.bias_forces(robot)(goal, np.zeros(7)))
    qd0 = speed * np.array([1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0])
    q, qd, tau, solution = follow(
        robot, control, references, weights, start, qd0, dt, 200, driven=range(7), noise=(1e-4, 1e-3)
    )
    limits = robot.limits
    assert np.all(np.abs(tau) <= limits.effort)
    assert np.all(np.abs(qd[40:]) < 1.02 * limits.velocity)
    assert np.isfinite(solution).all()
    # 5 % of what holds the arm is not in the model: some hundredths of a radian
    assert np.abs(q[-1] - goal).max() < 0.05


def test_a_solution_that_moves_on_forgets_the_barrier_of_a_blow():
    robot = sg.load("cart_pole")
    control = sg.mpc(robot, 0.02, 5, limits=HorizonLimits(effort=20.0))
    references, weights = stack_references(control, np.zeros(2)), stack_weights(robot)
    state = np.array([0.1, 0.2]), np.array([0.5, -1.0])
    *_, last, _ = control(*state, references, weights, 0.0, np.zeros(control.arguments[-1].shape))
    for advance, is_same in ((1.0, True), (0.0, False)):
        found = []
        for barrier in (100.0, 1e-3):
            last[1] = barrier
            found.append(control(*state, references, weights, advance, last)[0])
        assert np.array_equal(*found) == is_same
