"""Limits between points, by dense sampling of the planned motion."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Phase, Plan, Planner, Task, horizon
from screwgraph.motion.planning.costs import Acceleration, Effort, Smoothness, Time
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import AccelerationLimit, EffortLimit, PositionLimit, VelocityLimit
from screwgraph.motion.planning.transcription.problem import transcribe
from screwgraph.optimize import kernels, solve

FASTEST = 1.2
GOALS = (Position([1.2, -0.6]), Velocity(0.0))


def hurried(collocation: str, steps: int = 5) -> Task:
    """Two links that must keep to a velocity."""
    limits, costs = (VelocityLimit(FASTEST),), (Effort(1.0), Acceleration(0.1))
    task = Task(sg.load("rr"), horizon(steps, duration=1.4), start=[0.0, 0.0], goals=GOALS, costs=costs, limits=limits)
    return replace(task, collocation=collocation, accuracy=0.5)


def beyond(plan) -> float:
    """The largest excess of the velocity limit at 4001 times, as a part of it."""
    return float(np.abs(plan.at(np.linspace(0.0, plan.t[-1], 4001)).qd).max() / FASTEST - 1.0)


RULES = ["trapezoidal", "hermite_simpson", "linear_acceleration", "radau", "radau_5"]


@pytest.mark.parametrize("collocation", RULES)
def test_limits_hold_between_points(collocation):
    plan = sg.plan(hurried(collocation))
    assert plan.solved, plan
    assert beyond(plan) <= 1e-3
    fine = sg.plan(hurried(collocation, 40))
    assert plan.cost == pytest.approx(fine.cost, rel=0.06)  # little is lost by keeping them


@pytest.mark.parametrize("collocation", RULES)
def test_what_is_exceeded_between_points_is_stated(collocation):
    """Limits that hold at points alone."""
    transcription = transcribe(hurried(collocation)).at_points()
    plan = Plan(transcription, solve(transcription.problem))
    assert plan.converged, plan
    most = max((excess.relative for excess in plan.excesses), default=0.0)
    assert most == pytest.approx(beyond(plan) if beyond(plan) > 1e-3 else 0.0, abs=3e-4)
    assert plan.solved == (not plan.excesses)
    if collocation != "trapezoidal":  # its velocities are linear
        assert "exceeds limit 1 by" in plan.status
        assert "between points" in plan.status


def test_limits_that_cannot_hold_between_points_are_stated():
    """One parabola of velocity, from rest to rest, over a way that is longer than 2/3 of limit times duration."""
    task = Task(sg.load("rr"), horizon(1, duration=1.0), start=[0.0, 0.0], goals=(Position([0.7, 0.0]), Velocity(0.0)))
    plan = sg.plan(replace(task, costs=(Effort(1.0),), limits=(VelocityLimit(1.0),), accuracy=0.5))
    assert plan.feasible
    assert not plan.solved
    assert "exceeds limit 1 by 5 % between points at 0.5 s" in plan.status
    assert "with limits kept between points: " in plan.reason


def test_positions_and_velocities_of_priors_stay_within_limits_between_points():
    """Cubic polynomials: nearly straight ones, but for the corners where velocities jump."""
    limits, costs = (VelocityLimit(1.1), PositionLimit({"joint1": (-0.1, 1.2)})), (Smoothness(),)
    task = Task(sg.load("rr"), horizon(4, duration=1.4), start=[0.0, 0.0], goals=GOALS, costs=costs, limits=limits)
    plan = sg.plan(replace(task, dynamics=False, collocation="none"))
    assert plan.solved, plan
    q, qd, *_ = plan.at(np.linspace(0.0, plan.t[-1], 4001))
    assert np.abs(qd).max() <= 1.1 * (1.0 + 1e-3)
    assert q[:, 0].max() <= 1.2 * (1.0 + 1e-3)


def test_free_durations_do_not_break_limits_between_points():
    phase = Phase(4, 1.0, shortest=0.1, longest=5.0)
    limits = (VelocityLimit(FASTEST), AccelerationLimit(8.0))
    task = Task(sg.load("rr"), (phase,), start=[0.0, 0.0], goals=GOALS, costs=(Time(),), limits=limits, accuracy=0.5)
    for collocation in ("radau", "linear_acceleration"):
        plan = sg.plan(replace(task, collocation=collocation))
        assert plan.solved, plan
        assert beyond(plan) <= 1e-3
        t = np.linspace(0.0, plan.t[-1], 4001)
        assert np.abs(np.diff(plan.at(t).qd, axis=0) / np.diff(t)[:, None]).max() <= 8.0 * (1.0 + 2e-3)


def test_replanning_keeps_limits_between_points_without_new_code():
    planner = Planner(hurried("radau"))
    planner.solve()
    made = kernels.kernels.cache_info().misses
    planner.change(goals=(Position([1.19, -0.6]), Velocity(0.0)))
    plan = planner.solve(warm=True)
    assert plan.solved, plan
    assert beyond(plan) <= 1e-3
    assert kernels.kernels.cache_info().misses == made


def test_efforts_of_radau_collocation_stay_within_limits_where_steps_begin():
    """Least time: full thrust, then full brake; polynomials through later points would overshoot."""
    phase = Phase(11, 1.0, shortest=0.1, longest=5.0)
    limits, costs = (EffortLimit(40.0),), (Time(),)
    task = Task(sg.load("rr"), (phase,), start=[0.0, 0.0], goals=GOALS, costs=costs, limits=limits, accuracy=0.5)
    plan = sg.plan(task)
    assert plan.converged, plan
    tau = plan.at(np.linspace(0.0, plan.t[-1], 4001)).tau
    assert np.abs(tau).max() <= 40.0 + 1e-5
    assert np.abs(tau).max() > 39.0
