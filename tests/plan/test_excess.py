"""Limits between points, by dense sampling of the planned motion."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.plan import Phase, Task, horizon
from screwgraph.plan.costs import Acceleration, Effort, Time
from screwgraph.plan.goals import Position, Velocity
from screwgraph.plan.limits import EffortLimit, VelocityLimit

FASTEST = 1.2
GOALS = (Position([1.2, -0.6]), Velocity(0.0))


def hurried(collocation: str, steps: int = 5) -> Task:
    """Two links that must keep to a velocity."""
    limits, costs = (VelocityLimit(FASTEST),), (Effort(1.0), Acceleration(0.1))
    task = Task(sg.load("rr"), horizon(steps, duration=1.4), start=[0.0, 0.0], goals=GOALS, costs=costs, limits=limits)
    return replace(task, collocation=collocation, accuracy=0.5)


def beyond(plan) -> float:
    """The largest excess of the velocity limit at 4001 times, as a part of it."""
    return float(np.abs(plan.at(np.linspace(0.0, plan.t[-1], 4001))[1]).max() / FASTEST - 1.0)


@pytest.mark.parametrize("collocation", ["trapezoidal", "hermite_simpson", "linear_acceleration", "radau"])
def test_what_is_exceeded_between_points_is_told(collocation):
    plan = sg.plan(hurried(collocation))
    assert plan.converged, plan
    most = max((excess.relative for excess in plan.excesses), default=0.0)
    assert most == pytest.approx(beyond(plan) if beyond(plan) > 0.01 else 0.0, abs=3e-3)
    assert plan.solved == (not plan.excesses)
    if plan.excesses:
        assert "exceeds limit 1 by" in plan.status
        assert "between points" in plan.status


def test_some_rules_do_exceed_limits_and_refinement_keeps_them():
    task = hurried("hermite_simpson")
    assert sg.plan(task).excesses
    plan = sg.plan(task, refine=True)
    assert plan.solved, plan
    assert beyond(plan) <= 0.01


def test_efforts_of_radau_collocation_stay_within_limits_where_steps_begin():
    """Least time: full thrust, then full brake; polynomials through later points would overshoot."""
    phase = Phase(11, 1.0, shortest=0.1, longest=5.0)
    limits, costs = (EffortLimit(40.0),), (Time(),)
    task = Task(sg.load("rr"), (phase,), start=[0.0, 0.0], goals=GOALS, costs=costs, limits=limits, accuracy=0.5)
    plan = sg.plan(task)
    assert plan.converged, plan
    tau = plan.at(np.linspace(0.0, plan.t[-1], 4001))[2]
    assert np.abs(tau).max() <= 40.0 + 1e-5
    assert np.abs(tau).max() > 39.0
