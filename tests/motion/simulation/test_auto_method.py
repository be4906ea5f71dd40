"""The default method: stiff robots move, light ones whirl, and the result says by which method."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia
from tests.motion.simulation.robots import pendulum
from tests.robots import robot_file

STIFF = ("allegro_left_hand.urdf", "xarm7.urdf", "z1.urdf", "tiago_no_hand.urdf")


@pytest.mark.parametrize("name", STIFF)
@pytest.mark.sampled(4)
def test_robots_whose_files_give_large_damping_move_by_default(name):
    robot = sg.load(robot_file(name))
    for qd0 in (None, np.random.default_rng(0).normal(size=robot.nv)):
        run = sg.simulate(robot, qd0=qd0, time=0.3)
        assert run.method == "radau5"
        assert run.energy_drift < 1e-6 * np.ptp(run.energy)


def test_a_stiff_pendulum_moves_as_its_equation_says():
    robot, length, mass, damping = pendulum(damping=2e4), 0.8, 1.5, 2e4

    def rate(t, y):
        return [y[1], -9.81 / length * np.sin(y[0]) - damping / (mass * length**2) * y[1]]

    run = sg.simulate(robot, [1.0], [3.0], time=5.0)
    exact = solve_ivp(rate, (0.0, 5.0), [1.0, 3.0], method="Radau", rtol=1e-11, atol=1e-12, t_eval=run.t[::1000])
    assert run.method == "radau5"
    np.testing.assert_allclose(run.q[::1000, 0], exact.y[0], atol=1e-8)
    assert run.work[-1] == pytest.approx(run.energy[-1] - run.energy[0], rel=1e-6)  # the first 50 us included


def test_calm_motions_go_by_fixed_steps():
    run = sg.simulate(sg.load("rr"), [0.3, 0.2], time=0.5)
    assert run.method == "rk4"
    np.testing.assert_array_equal(run.q, sg.simulate(sg.load("rr"), [0.3, 0.2], time=0.5, method="rk4").q)


def whip():
    """Return a heavy link that carries a light one: it whirls."""
    arm = SpatialInertia.of_body(2.0, np.array([0.0, 0.0, -0.5]), 0.01 * np.eye(3))
    tip = SpatialInertia.of_body(0.01, np.array([0.0, 0.0, -0.05]), 1e-6 * np.eye(3))
    joints = [
        Joint("shoulder", Revolute((0.0, 1.0, 0.0)), "base", "arm"),
        Joint("wrist", Revolute((0.0, 1.0, 0.0)), "arm", "tip"),
    ]
    return tree("whip", [Link("base"), Link("arm", arm), Link("tip", tip)], joints)


def test_where_fixed_steps_lose_the_energy_balance_an_adaptive_method_goes_on():
    fixed = sg.simulate(whip(), [1.0, 2.0], [0.0, 400.0], time=1.0, dt=5e-3, method="rk4")
    run = sg.simulate(whip(), [1.0, 2.0], [0.0, 400.0], time=1.0, dt=5e-3)
    assert "dop853" in run.method
    assert run.energy_drift < 1e-6  # of 2 J in the tip
    assert fixed.energy_drift > 10.0 * run.energy_drift


def test_stiff_feedback_is_found_too():
    robot, target = sg.load("rr"), np.array([0.3, -0.4])
    run = sg.simulate(robot, time=1.0, dt=1e-2, tau=lambda t, q, qd: 1e6 * (target - q) - 1e5 * qd)
    assert run.method == "radau5"
    np.testing.assert_allclose(run.q[-1], target, atol=1e-3)


def test_a_simulation_that_diverges_says_where_and_what_to_choose():
    with pytest.raises(sg.InputError, match=r"step \d+, method 'rk4'\) in joint 'swing'.*take method=\"auto\""):
        sg.simulate(pendulum(damping=1e6), [1.0], [1.0], time=10.0, dt=1e-2, method="rk4")


def test_mechanisms_have_the_method_too():
    run = sg.simulate(sg.load_mechanism("four_bar"), time=0.2)
    assert run.method == "rk4"


def test_a_simulation_that_fails_for_lack_of_inertia_names_the_joint():
    light = SpatialInertia.of_body(1e-3, np.zeros(3), 1e-14 * np.eye(3))
    arm = SpatialInertia.of_body(2.0, np.array([0.0, 0.0, -0.5]), 0.01 * np.eye(3))
    joints = [
        Joint("swing", Revolute((0.0, 1.0, 0.0)), "base", "arm"),
        Joint("spin", Revolute((0.0, 1.0, 0.0)), "arm", "bead", damping=1.0),
    ]
    robot = tree("bead", [Link("base"), Link("arm", arm), Link("bead", light)], joints)
    with pytest.raises(sg.InputError, match=r"joint 'spin' moves almost nothing that has inertia.*lock=\['spin'\]"):
        sg.simulate(robot, qd0=[1.0, 1.0], method="rk4")
    run = sg.simulate(robot, qd0=[1.0, 1.0], time=0.2)
    assert run.energy_drift < 1e-8
