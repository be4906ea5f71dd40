"""Steps of every robot, by every rule: `Simulator` and `rollout` converge to the motion of an adaptive integrator."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Robot
from screwgraph.model.robot.closure.constraints import constraint_residual
from screwgraph.model.robot.joints import Floating
from screwgraph.motion.simulation import Simulator
from tests.motion.simulation.test_every_robot import NO_MOTION, load, robots, start
from tests.suites import record

TIME = 8e-3
STEPS = (2, 8, 32)
"""Steps that lead over that time (s): each is a quarter of those before."""
METHODS = {"semi_implicit": 0.1, "rosenbrock": 0.02, "rk4": 1e-3, "euler": 0.1}
"""Rules, and what part of the motion may be lost by the finest steps."""
EXPLICIT = ("rk4", "euler")
"""Rules that diverge where dampers are fast, and then say so."""
SHORT = frozenset({"double_pendulum", "finger_edu", "four_bar_linkage", "belt_leg"})
PLACE = np.array([1.0, 2.0, 3.0])
"""Where floating bases begin: what puts them at the origin is noticed."""
SMALL = 1e-6
"""Part of positions and velocities that counts as motion."""
ACCURATE = 1e-6
"""Part of the motion to which the adaptive method is accurate."""


def cases() -> list:
    """Return test parameters: every robot by every rule; those of small robots, and a legged one, are in every run."""
    found = []
    for robot in robots():
        (path,) = robot.values
        for method in METHODS:
            is_short = Path(path).stem in SHORT or (path == "a1" and method == "semi_implicit")
            marks = () if is_short else (pytest.mark.suite,)
            found.append(pytest.param(path, method, id=f"{robot.id}-{method}", marks=marks))
    return found


def placed(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return a position with the base, if it floats, away from the origin; a platform stays on its legs."""
    if not (robot.joints and isinstance(robot.joints[0].type, Floating)):
        return q
    there = np.concatenate([PLACE, q[3:]])
    return there if np.allclose(constraint_residual(robot, there), constraint_residual(robot, q), atol=1e-9) else q


def part_lost(run: sg.Trajectory, found: Simulator) -> float:
    """Return errors of positions and velocities relative to how far these have moved, and a little of their size."""
    errors = []
    for x, y in ((run.q, found.q), (run.qd, found.qd)):
        moved = np.ptp(x, axis=0).max(initial=0.0) + SMALL * (1.0 + np.abs(x).max(initial=0.0))
        errors.append(np.abs(x[-1] - y).max(initial=0.0) / moved)
    return float(max(errors))


def after(simulator: Simulator, steps: int) -> Simulator | None:
    """Return the simulator after its steps; None where an explicit rule is unstable, and says so."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            simulator.step(steps=steps)
        except sg.InputError as error:
            if "diverged" in str(error):
                return None
            raise
    assert all("dampers are faster than steps" in str(each.message) for each in told)
    return None if told else simulator


def past_layers(robot: Robot, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the state later on where dampers take velocities within a step: these move a Rosenbrock step's positions.

    That is once, by half the first step.
    """
    M = np.diag(sg.mass_matrix(robot)(q))
    damping = np.concatenate([np.full(joint.type.nv, joint.damping) for joint in robot.joints])
    if (damping * TIME / STEPS[-1] <= M).all():
        return q, qd
    run = sg.simulate(robot, q, qd, time=TIME, dt=TIME, method="radau5")
    return run.q[-1], run.qd[-1]


@pytest.mark.parametrize(("path", "method"), cases())
def test_steps_converge_to_the_motion(path, method):
    robot = load(path)
    case = {"robot": Path(path).stem, "nv": robot.nv, "method": method}
    try:
        q, qd = start(robot, is_moving=True)
        assert q is not None
        first = Simulator(robot, TIME, placed(robot, q), qd, method=method)
    except sg.ScrewgraphError as error:  # no joints, or a chain of massless links
        why = re.search(NO_MOTION, str(error))
        if why is None:
            raise
        record("steps", **case, coarse=f"refused: {why[0]}")
        return
    q, qd = first.q.copy(), first.qd.copy()
    if method == "rosenbrock":
        q, qd = past_layers(robot, q, qd)
    run = sg.simulate(robot, q, qd, time=TIME, dt=TIME, method="radau5", rtol=1e-10, atol=1e-11)
    lost = []
    for steps in STEPS:
        end = after(Simulator(robot, TIME / steps, q, qd, method=method), steps)
        lost.append(np.inf if end is None else part_lost(run, end))
    record("steps", **case, **dict(zip(("coarse", "middle", "fine"), lost, strict=True)))
    assert lost[-1] <= METHODS[method] or (lost[-1] == np.inf and method in EXPLICIT)
    assert lost[-1] <= lost[0] / 4.0 + ACCURATE or lost[-1] == np.inf
    if lost[0] < np.inf:
        many = sg.rollout(robot, [q, q], [qd, qd], time=TIME, dt=TIME / STEPS[0], method=method)
        one = Simulator(robot, TIME / STEPS[0], q, qd, method=method)
        one.step(steps=STEPS[0])
        np.testing.assert_allclose(many.q[:, -1], [one.q, one.q], rtol=1e-9, atol=1e-12)
