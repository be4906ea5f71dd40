"""Steps of robots whose files have damping faster than a step: against MuJoCo, and SciPy at tight tolerances."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.ui.bench.peers import mujoco as peer
from screwgraph.ui.bench.robot_tree import make_depth_first_tree
from tests.robots import robot_file

STIFF = ("z1", "xarm7", "b1-z1", "allegro_left_hand", "tiago_no_hand")
SHORT = frozenset({"z1"})
ROBOTS = [pytest.param(name, marks=() if name in SHORT else pytest.mark.suite) for name in STIFF]


def start(name):
    robot, rng = sg.load(robot_file(f"{name}.urdf")), np.random.default_rng(1)
    return robot, robot.random(rng), rng.normal(size=robot.nv)


def end(robot, q, qd, dt, time):
    simulator = sg.Simulator(robot, dt, q, qd)
    simulator.step(steps=round(time / dt))
    return simulator


@pytest.mark.parametrize("name", ROBOTS)
def test_errors_shrink_with_the_step_and_are_small_at_once(name):
    robot, q, qd = start(name)
    right = sg.simulate(robot, q, qd, time=0.1, dt=1e-2, method="radau5", rtol=1e-10, atol=1e-12)
    way = np.abs(right.q[-1] - q).max()
    errors = [np.abs(end(robot, q, qd, dt, 0.1).q - right.q[-1]).max() for dt in (2e-3, 1e-3)]
    assert errors[0] < 0.02 * way
    assert errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize("name", ROBOTS)
def test_steps_are_those_of_mujoco_with_implicit_damping(name):
    mujoco = pytest.importorskip("mujoco")
    robot, q, qd = start(name)
    bodies = make_depth_first_tree(robot)
    model = peer._model(mujoco, robot, bodies)
    model.opt.timestep, model.opt.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q[bodies.q_places], qd[bodies.v_places]
    mujoco.mj_step(model, data, nstep=100)
    found = end(robot, q, qd, 1e-3, 0.1)
    np.testing.assert_allclose(found.q[bodies.q_places], data.qpos, atol=1e-9)
    np.testing.assert_allclose(found.qd[bodies.v_places], data.qvel, atol=1e-8)


@pytest.mark.parametrize("name", [pytest.param("z1", marks=pytest.mark.suite)])
def test_a_tight_explicit_method_agrees(name):
    robot, q, qd = start(name)
    right = sg.simulate(robot, q, qd, time=0.02, dt=1e-2, method="dop853", rtol=1e-11, atol=1e-12)
    errors = [np.abs(end(robot, q, qd, dt, 0.02).q - right.q[-1]).max() for dt in (1e-3, 5e-4)]
    assert errors[1] < 0.6 * errors[0]
