"""Controllers in the loop, of plants that are heavier than the model, with commands that act a tick late, and noise."""

import numpy as np
import pytest
from tests.motion.control.predictive.plants import Disturbance, OwnPlant, make_plant, record_loop, run_loop
from tests.motion.control.predictive.test_optima import arm
from tests.suites import in_suites

import screwgraph as sg
from screwgraph.motion.control import HorizonLimits, stack_references, stack_weights

DT = 0.02
BAD = Disturbance(part=0.05, delay=True, noise=1e-3)


def follow(plant, control, given, driven, dt, seconds, own):
    """Return a log of a robot without contacts; its model, which has the masses of the file, predicts."""
    model, previous = OwnPlant(plant.robot, plant.state[0]), np.zeros(control.arguments[-1].shape)

    def command(_, q, qd):
        nonlocal previous
        tau, *_, previous, solution = control(q, qd, *given, 1.0, previous)
        assert np.isfinite(solution).all()
        full = np.zeros(plant.robot.nv)
        full[driven] = tau
        return full, solution[0]

    return run_loop(plant, model, command, dt, seconds, own)


@pytest.mark.parametrize("kind", ["own", in_suites("MuJoCo")])
@pytest.mark.parametrize("start", [(0.0, 0.0), *(in_suites(x) for x in ((0.6, 0.1), (-0.9, 0.0), (0.6, 2.8)))])
def test_a_cart_swings_its_pole_up_within_its_rail(kind, start, tmp_path):
    """And again after a kick of 1 rad/s; the rail ends at 1 m, softly."""
    robot = sg.load("cart_pole")
    limits = HorizonLimits(effort={"x": 20.0}, lower={"x": -1.0}, upper={"x": 1.0}, penalty=(100.0, 1000.0))
    control = sg.mpc(robot, DT, 100, actuated=["x"], limits=limits)
    weights = stack_weights(robot, position=[1.0, 10.0], velocity=0.1, effort=0.01, actuated=["x"])
    given = stack_references(control, [0.0, np.pi]), weights
    plant, own = make_plant(kind, robot, start, tmp_path, part=BAD.part), BAD.pushed(5.0, np.array([0.0, 1.0]))
    log = follow(plant, control, given, [0], DT, 8.0, own)
    beyond = np.abs(log.q[:, 0]).max() - 1.0
    record_loop("cart-pole swings up", kind, own, f"{beyond:.3f} m beyond its rail (0.07)", log, 20.0)
    assert beyond < 0.07
    for settled in (log.q[230:248], log.q[-20:]):
        assert np.abs(settled[:, 1] - np.pi * np.round(settled[-1, 1] / np.pi)).max() < 0.05
        assert round(settled[-1, 1] / np.pi) % 2 == 1
        assert np.abs(settled[:, 0]).max() < 0.2
    assert log.efforts.max() <= 20.0


@pytest.mark.parametrize("kind", ["own", in_suites("MuJoCo")])
@pytest.mark.parametrize("speed", [0.0, 3.0])
def test_an_arm_jumps_within_its_torques(kind, speed, tmp_path):
    robot, (control, weights), dt = sg.load("panda"), arm(), 0.01
    start = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
    goal = start + np.array([1.2, 0.3, -0.2, 0.3, 0.2, 0.2, -1.2])
    references = stack_references(control, goal, effort=sg.bias_forces(robot)(goal, np.zeros(7)))
    plant, own = make_plant(kind, robot, start, tmp_path, part=BAD.part), Disturbance(BAD.part, True, 1e-4)
    plant.set(start, speed * np.array([1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0]))
    log = follow(plant, control, (references, weights), range(7), dt, 2.0, own)
    missed, limits = np.abs(log.q[-1] - goal).max(), robot.limits
    label = f"Panda jumps by 1.2 rad from {speed:g} rad/s"
    record_loop(label, kind, own, f"{missed:.3f} rad off after 2 s (0.05)", log, limits.effort)
    assert np.all(log.efforts <= limits.effort)
    assert np.all(np.abs(log.qd[40:]) < 1.02 * limits.velocity)
    # 5 % of what holds the arm is not in the model: some hundredths of a radian
    assert missed < 0.05


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
