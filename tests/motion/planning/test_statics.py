"""Postures at rest: of least potential energy, of least torque, beside SciPy and equations written by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.costs import Effort, Potential
from screwgraph.motion.planning.goals import Acceleration, Point, Velocity
from screwgraph.motion.planning.limits import PositionLimit

REST = Velocity(0.0, "always"), Acceleration(0.0, "always")
ARM = """
bodies:
  - {link: upper, joint: q1, axis: -y, mass: 2, com: [0.25, 0, 0], inertia: [0.01, 0.05, 0.05],
     limits: {lower: -2, upper: 2}}
  - {link: lower, joint: q2, axis: -y, at: [0.5, 0, 0], mass: 1.5, com: [0.2, 0, 0], inertia: [0.01, 0.04, 0.04],
     limits: {lower: -2.5, upper: 2.5}}
  - {link: hand, joint: q3, axis: -y, at: [0.4, 0, 0], mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02],
     limits: {lower: -2, upper: 2}}
frames: [{frame: tip, link: hand, at: [0.3, 0, 0]}]
"""
LENGTHS, CENTRES, MASSES = (0.5, 0.4, 0.3), (0.25, 0.2, 0.1), (2.0, 1.5, 1.0)


def rest(robot, *goals, cost, **fields):
    """Return a task whose only points, at the start and at the end, are postures at rest."""
    options = {
        "limits": (PositionLimit(),),
        "collocation": "none",
        "goals": (*REST, *goals),
        "costs": (cost,),
        **fields,
    }
    return Task(robot, horizon(1, duration=1.0), **options)


def torques(q):
    """Torques that hold the arm, by hand: weights times horizontal arms."""
    angles = np.cumsum(q)
    joints = np.concatenate([[0.0], np.cumsum(LENGTHS * np.cos(angles))])[:3]
    centres = joints + CENTRES * np.cos(angles)
    arms = [centres[i:] - joints[i] for i in range(3)]
    return np.array([9.81 * np.dot(MASSES[i:], arms[i]) for i in range(3)])


def tip(q):
    angles = np.cumsum(q)
    return np.array([np.dot(LENGTHS, np.cos(angles)), np.dot(LENGTHS, np.sin(angles))])


def scipys(start, goal):
    """Return the nearest posture of least torque, by SLSQP."""
    found = minimize(
        lambda x: torques(x) @ torques(x),
        start,
        bounds=[(-2.0, 2.0), (-2.5, 2.5), (-2.0, 2.0)],
        constraints={"type": "eq", "fun": lambda x: tip(x) - goal},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.x


def test_the_posture_of_least_torque_that_reaches_a_point_is_one_of_scipys():
    goal = np.array([0.6, 0.5])
    task = rest(sg.load(ARM), Point("tip", goal, "always", axes="xz"), cost=Effort(1.0))
    plan = sg.plan(task)
    assert plan.converged, plan
    q = plan.q[0]
    assert tip(q) == pytest.approx(goal, abs=1e-7)
    assert plan.tau[0] == pytest.approx(torques(q), abs=1e-6)
    assert scipys(q + 0.05, goal) == pytest.approx(q, abs=1e-4)
    along = Planner(task).solve(method="constraint_manifold")
    assert along.converged, along
    assert along.violation < 1e-9
    assert tip(along.q[0]) == pytest.approx(goal, abs=1e-9)
    assert scipys(along.q[0] + 0.02, goal) == pytest.approx(along.q[0], abs=1e-4), "of another branch, it may be"


def test_the_posture_of_least_energy_hangs_as_far_as_limits_allow():
    arm = sg.load(ARM)
    stops = PositionLimit({"q1": (-1.0, 2.0), "q2": (-2.5, 2.5), "q3": (-2.0, 2.0)})
    plan = sg.plan(rest(arm, cost=Potential(1.0), limits=(stops,)))
    assert plan.converged, plan
    assert plan.q[0] == pytest.approx([-1.0, 1.0 - np.pi / 2, 0.0], abs=1e-4)
    free = sg.plan(rest(arm, cost=Potential(1.0)))
    assert free.q[0] == pytest.approx([-np.pi / 2, 0.0, 0.0], abs=1e-5)
    assert np.abs(free.tau).max() < 1e-4, "nothing holds it"


def test_a_closed_chain_settles_where_its_energy_is_least():
    robot = sg.load("five_bar")
    plan = sg.plan(rest(robot, cost=Potential(1.0), limits=(), actuated=robot.independent_joints))
    assert plan.converged, plan
    q, energy = plan.q[0], sg.potential_energy(robot)
    assert np.abs(robot.close_loops(q) - q).max() < 1e-6
    assert np.abs(plan.tau).max() < 1e-4, "no motor works"
    y = q[[robot.q_slices[name].start for name in robot.independent_joints]]
    for step in np.random.default_rng(0).normal(0.0, 0.02, (20, 2)):
        assert energy(robot.complete(y + step, q)) >= energy(q) - 1e-9


def test_what_has_no_accelerations_is_refused():
    task = Task(sg.load("rr"), horizon(2, duration=1.0), goals=(Acceleration(),), dynamics=False)
    with pytest.raises(InputError, match="no accelerations"):
        Planner(task)
    with pytest.raises(InputError, match="a weight is 0"):
        Planner(replace(task, dynamics=True, goals=(), costs=(Potential(0.0),)))


def test_a_closed_chain_that_starts_at_a_given_position_settles_closed():
    robot = sg.load("five_bar")
    start = robot.close_loops(robot.neutral())
    plan = sg.plan(rest(robot, cost=Potential(1.0), limits=(), start=start, actuated=robot.independent_joints))
    assert plan.converged, plan
    assert np.abs(robot.close_loops(plan.q[-1]) - plan.q[-1]).max() < 1e-6
    assert np.abs(plan.q[-1] - start).max() > 0.1
