"""Plans of mechanisms some of whose coordinates are functions of time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Phase, Planner, Task, horizon
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.exact_path import ExactPath
from screwgraph.motion.planning.goals import Position, Velocity

CRANE = """
name: crane
parameters: {A: 0.3, w: 3, mass: 0.2, l: 0.5}
points: [{name: P, x: 0, y: 0}, {name: tip, x: 0, y: -l}]
bodies: [{name: rod, points: [P, tip], mass: mass, I0: mass*l^2/3, cog: [l/2, 0]}]
angles: [{angle: lean, of: [P, tip]}]
driven: {x:P: A*sin(w*t)^2, y:P: 0}
motors: [lean]
"""
"""A rod under a trolley that moves as told; a motor holds the rod upright at both ends."""
HANGING, LEAN = -np.pi / 2, 4


def _trolley(t):
    """Value, rate, acceleration of x:P."""
    return 0.15 * (1.0 - np.cos(6.0 * t)), 0.9 * np.sin(6.0 * t), 5.4 * np.cos(6.0 * t)


@pytest.fixture(scope="module")
def crane():
    return sg.load_mechanism(CRANE)


def _task(crane, **fields) -> Task:
    goals = (Position({"lean": HANGING}), Velocity({"lean": 0.0}))
    base = {"start": {"lean": HANGING}, "goals": goals, "costs": (Effort(),), "collocation": "hermite_simpson"}
    return Task(crane, fields.pop("phases", horizon(20, dt=0.05)), **{**base, **fields})


@pytest.fixture(scope="module")
def plan(crane):
    return sg.plan(_task(crane))


def test_a_plan_follows_the_drive_to_the_order_of_its_rule(crane, plan):
    """Of the fourth order: half the step, a sixteenth of the error."""
    assert plan.solved
    finer = sg.plan(_task(crane, phases=horizon(40, dt=0.025)))
    off = [np.abs(p.q[:, 0] - _trolley(p.t)[0]).max() for p in (plan, finer)]
    assert off[0] < 1e-5
    assert off[1] < off[0] / 10.0
    np.testing.assert_allclose(plan.q[:, 1], 0.0, atol=1e-12)
    assert abs(plan.q[-1, LEAN] - HANGING) < 1e-9


def test_driving_efforts_are_those_of_newton(crane, plan):
    """The trolley's force is what accelerates the centre of mass; the motor's torque is about the pivot."""
    mass, half, angle, rate, turning = 0.2, 0.25, *(x[:, LEAN] for x in (plan.q, plan.qd, plan.qdd))
    acceleration = _trolley(plan.t)[2] + half * (-np.sin(angle) * turning - np.cos(angle) * rate**2)
    force = plan.trajectory.tau[:, list(crane.motors).index("x:P")]
    np.testing.assert_allclose(force, mass * acceleration, atol=1e-3 * np.abs(force).max())


def test_the_planned_torque_swings_a_simulated_rod(crane, plan):
    t, torque = plan.t, plan.tau[:, 0]
    motor = list(crane.motors).index("lean")

    def tau(at, q, qd):
        found = np.zeros(3)
        found[motor] = np.interp(at, t, torque)
        return found

    run = sg.simulate(crane, time=1.0, dt=0.01, q0=plan.q[0], qd0=plan.qd[0], tau=tau, method="rk4")
    assert abs(run.q[-1, LEAN] - HANGING) < 5e-3


def test_rules_without_accelerations_and_motions_without_dynamics_follow_it(crane):
    euler = sg.plan(_task(crane, collocation="euler"))
    assert np.abs(euler.q[:, 0] - _trolley(euler.t)[0]).max() < 0.05
    still = sg.plan(_task(crane, dynamics=False, costs=()))
    np.testing.assert_allclose(still.q[:, 0], _trolley(still.t)[0], atol=1e-5)


def test_a_start_is_where_the_drive_begins(crane):
    moved = sg.load_mechanism(CRANE.replace("A*sin(w*t)^2", "0.1 + A*t"))
    plan = sg.plan(_task(moved))
    np.testing.assert_allclose([plan.q[0, 0], plan.qd[0, 0]], [0.1, 0.3], atol=1e-12)
    with pytest.raises(sg.InputError, match="driven"):
        sg.plan(_task(moved, start={"lean": HANGING, "x:P": 0.2}))


def test_what_needs_another_clock_is_refused(crane, plan):
    free = (Phase(20, 1.0, shortest=0.5, longest=2.0),)
    for refused in (
        lambda: sg.plan(_task(crane, phases=free)),
        lambda: replace(_task(crane), phases=(), path=ExactPath(np.linspace(0.0, 1.0, 4)[:, None] * np.ones(5))),
        lambda: Planner(_task(crane)).step(),
    ):
        with pytest.raises(sg.InputError, match="driven"):
            refused()
