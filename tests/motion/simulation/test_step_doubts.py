"""Doubts about steps: dampers beyond the stability of explicit rules, loops that open at double roots."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, Loop, lock
from tests.model.robot.closure.test_standing import AXES, ROBOTS, at, body, standing, tree

STABLE = {"euler": 2.0, "rk4": 2.785}
"""Step times the rate of decay to which rules are stable: roots of 1 = abs(R(-z))."""


def damped(rate):
    """A pendulum whose damper takes its velocity at a rate (1/s)."""
    robot = sg.load("rr")
    robot = lock(robot, {robot.joint_names[1]: 0.3})
    (inertia,) = np.ravel(sg.mass_matrix(robot)(robot.neutral()))
    return replace(robot, joints=tuple(replace(joint, damping=rate * inertia) for joint in robot.joints))


def motions(robot, dt, method, **options):
    """Motions of a robot by each function that steps."""
    yield lambda: sg.Simulator(robot, dt, None, [1.0], method=method, **options).step()
    yield lambda: sg.rollout(robot, None, [[1.0], [0.5]], time=2 * dt, dt=dt, method=method, **options)
    if not options:
        yield lambda: sg.rollout(robot, qd0=[1.0], tau=lambda *_: np.zeros(1), time=dt, dt=dt, method=method)
        yield lambda: sg.rollout(robot, None, [1.0], time=dt, dt=dt, method=method, dtype="float32")
        yield lambda: sg.simulate(robot, None, [1.0], time=2 * dt, dt=dt, method=method)


@contextmanager
def well() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_dampers_beyond_the_stability_of_explicit_rules_are_doubted(method):
    robot = damped(1000.0)
    for motion, (part, is_stable) in product(range(5), [(0.93, True), (1.15, False)]):
        run = list(motions(robot, 1e-3 * STABLE[method] * part, method))[motion]
        with well() if is_stable else pytest.warns(RuntimeWarning, match="dampers are faster than steps"):
            run()


def test_live_dampers_are_those_of_the_first_motion():
    robot = damped(1000.0)
    name = f"{robot.joint_names[0]}.damping"
    for run in motions(robot, 2.4e-3, "euler", parameters={name: robot.joints[0].damping}):
        with pytest.warns(RuntimeWarning, match="dampers are faster than steps"):
            run()
    for run in motions(robot, 2.4e-3, "euler", parameters={name: 0.5 * robot.joints[0].damping}):
        with well():
            run()


@pytest.mark.parametrize("method", ["semi_implicit", "rosenbrock"])
def test_implicit_damping_is_not_doubted(method):
    with well():
        sg.Simulator(damped(1e6), 1e-3, None, [1.0], method=method).step(steps=3)


def test_fast_motions_without_dampers_are_not_doubted():
    with well():
        for method in STABLE:
            sg.Simulator(sg.load("rrr"), 1e-3, None, [20.0, -30.0, 40.0], method=method).step(steps=3)


def stretched():
    """Two bars of 1 m between pins 2 m apart, which do not move; the derivative of their closure says that they do."""
    bars = [Link("ground"), Link("a", body(1.0, 0.0)), Link("b", body(1.0, 0.0))]
    joints = [Joint("ja", AXES["y"], "ground", "a"), Joint("jb", AXES["y"], "a", "b", at(1.0, 0.0, 0.0))]
    pin = Loop("pin", AXES["y"], "ground", "b", at(2.0, 0.0, 0.0), at(1.0, 0.0, 0.0))
    return tree("stretched", bars, joints, loops=[pin])


def test_loops_that_open_are_doubted_with_their_row_and_the_joint_that_holds_them():
    robot = stretched()
    simulator = sg.Simulator(robot, 1e-3)
    with pytest.warns(RuntimeWarning, match=r"'pin' \(translation") as told:
        simulator.step(steps=200)
    with pytest.warns(RuntimeWarning, match="first order only"):
        sg.rollout(robot, time=0.2, dt=1e-3)
    with pytest.warns(RuntimeWarning, match="first order only"):
        sg.simulate(robot, time=0.2)
    with well():
        simulator.step(steps=100)  # said once
    (joint,) = [name for name in ("ja", "jb") if f"lock={{'{name}': 0.0}}" in str(told[0].message)]
    still = lock(robot, {joint: 0.0})
    with well():
        run = sg.simulate(still, time=0.2)
    assert run.violation.max() < 1e-12


def test_loops_that_stay_closed_are_not_doubted():
    with well():
        sg.Simulator(sg.load("five_bar")).step(steps=600)
        sg.Simulator(sg.load_mechanism("slider_crank")).step(steps=600)


def test_robots_that_only_welds_hold_take_steps():
    """Loops without coordinates: a leg whose sole is held to the ground moves as by an adaptive method."""
    robot = standing(*ROBOTS["on one sole"])
    q = robot.neutral()
    qd = robot.complete_velocity(q, np.full(robot.mobility.freedom, 0.1))
    right = sg.simulate(robot, q, qd, time=0.02, dt=0.02, method="radau5", rtol=1e-10, atol=1e-12)
    simulator = sg.Simulator(robot, 1e-3, q, qd, method="rk4")
    simulator.step(steps=20)
    np.testing.assert_allclose(simulator.q, right.q[-1], atol=1e-9)
    assert np.abs(right.q[-1] - right.q[0]).max() > 1e-5


def test_a_first_step_with_contacts_makes_no_code_for_batches():
    simulator = sg.Simulator(sg.load("rr"), 1e-3, contacts=[sg.Contact("tool")])
    simulator.step()
    made = simulator.function._evaluation.__dict__
    assert "single" in made
    assert "compiled" not in made
