"""Compiled steps against the steps in Python that they stand for, and where these take over."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import closed_states, with_floating_base
from screwgraph.motion.simulation import simulation as running
from tests.model.robot.joint_instances import in_a_tree, instances
from tests.motion.simulation.robots import free_body
from tests.robots import built_in_robots, closed_names, robot_file

KINDS = {name: in_a_tree(instances()[f"{name}-default"]) for name in ("floating", "spherical", "planar")}
CLOSED = {name: built_in_robots()[name] for name in closed_names()}
ROBOTS = {**KINDS, **CLOSED, "floating belt_leg": with_floating_base(sg.load("belt_leg"))}


def start(robot):
    rng = np.random.default_rng(5)
    if not robot.is_closed:
        return robot.random(rng), rng.normal(size=robot.nv)
    (q,) = closed_states(robot, 1, seed=2)
    return q, robot.complete_velocity(q, 0.3 * rng.normal(size=robot.mobility.freedom))


def in_python(monkeypatch, *arguments, **options):
    with monkeypatch.context() as patched:
        patched.setattr(running, "compile_stepper", lambda *made_of: None)
        return sg.simulate(*arguments, **options)


@pytest.mark.sampled(40)
@pytest.mark.parametrize("method", ["rk4", "semi_implicit", "euler"])
@pytest.mark.parametrize("name", ROBOTS)
def test_compiled_steps_are_those_in_python(name, method, monkeypatch):
    robot, tau = ROBOTS[name], np.linspace(0.1, 0.2, ROBOTS[name].nv)
    options = {"time": 0.02, "dt": 1e-3, "method": method, "tau": tau}
    fast = sg.simulate(robot, *start(robot), **options)
    slow = in_python(monkeypatch, robot, *start(robot), **options)
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-8)  # loops may be left open by 1e-10, each by its own way
    np.testing.assert_allclose(fast.qd, slow.qd, atol=1e-6)
    assert fast.violation.max() < 1e-9


@pytest.mark.suite
def test_a_turn_too_large_for_series_is_left_to_python(monkeypatch):
    robot, q, qd = free_body(), np.array([0, 0, 0, 0, 0, 0, 1.0]), np.array([30.0, 2.0, -5.0, 1.0, 0.0, 0.0])
    options = {"time": 1.0, "dt": 0.05}  # some 1.5 rad a step
    fast, slow = sg.simulate(robot, q, qd, **options), in_python(monkeypatch, robot, q, qd, **options)
    np.testing.assert_array_equal(fast.q, slow.q)


def test_quaternions_stay_unit_for_long():
    run = sg.simulate(free_body(), qd0=[3.0, 1.0, -2.0, 0.0, 0.0, 0.0], time=20.0, dt=1e-3)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, 3:], axis=1), 1.0, atol=1e-14)


def test_a_motion_that_blows_up_is_the_same_line_as_in_python(monkeypatch):
    robot, tau = sg.load("puma560"), np.full(6, 1e100)
    for simulate in (sg.simulate, lambda *a, **o: in_python(monkeypatch, *a, **o)):
        with pytest.raises(sg.InputError, match=r"diverged before t = "):
            simulate(robot, time=1.0, dt=0.1, method="rk4", tau=tau)


@pytest.mark.suite
def test_a_cassie_leg_keeps_its_loops_closed_for_ten_seconds():
    path = robot_file("cassie_simple.sdf")
    other = [name for name in sg.load(path).joint_names if name.startswith("right") or name == "static"]
    leg = sg.load(path, lock=[*other, "left-tarsus-spring-joint"], damping=False)
    q = leg.close_loops(leg.neutral())
    run = sg.simulate(leg, q, leg.complete_velocity(q, np.full(leg.mobility.freedom, 0.1)), time=10.0, dt=1e-3)
    assert run.violation.max() < 1e-9
    assert run.energy_drift < 1e-6 * np.abs(run.energy).max()
