"""Errors of steps: SciPy's integrators, closed forms, and what a plan is called."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Plan, Planner, Task, horizon
from screwgraph.motion.planning.accuracy.extrapolated_euler import MotionStretches, integrate_stretches
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import VelocityLimit
from screwgraph.motion.planning.task_files import read_task
from tests.robots import robot_file

RULES = ("euler", "trapezoidal", "linear_acceleration", "hermite_simpson", "radau", "radau_5")


def swing(collocation: str, steps: int = 10, **fields) -> Task:
    """Two links, from rest to rest."""
    goals = (Position([0.8, -0.4]), Velocity(0.0))
    return Task(
        sg.load("rr"),
        horizon(steps, duration=1.0),
        start=[0.1, 0.2],
        goals=goals,
        costs=(Effort(1.0),),
        collocation=collocation,
        regularisation=np.inf,  # long ways of light joints: errors that SciPy and the plan see alike
        **fields,
    )


def ends(plan, every=1):
    """Where SciPy leads from the first points of some steps, and what was planned: q and qd, and which steps."""
    robot, steps = plan.task.robot, plan.transcription.steps
    f, nv, chosen = sg.forward_dynamics(robot), robot.nv, np.arange(0, len(steps.first), every)
    found, planned = [], []
    for a in steps.first[chosen]:
        b, parts = a + steps.per_step, np.array([0.1, 0.5, 0.9])
        h = plan.t[b] - plan.t[a]
        efforts = np.polyfit(parts, plan.at(plan.t[a] + parts * h).tau, 2)  # at most quadratic in a step

        def rate(s, x, efforts=efforts, h=h):
            tau = (efforts[0] * s + efforts[1]) * s + efforts[2]
            return h * np.concatenate([x[nv:], f(x[:nv], x[nv:], tau)])

        x0 = np.concatenate([plan.q[a], plan.qd[a]])
        found.append(solve_ivp(rate, (0.0, 1.0), x0, method="LSODA", rtol=1e-8, atol=1e-10).y[:, -1])
        planned.append(np.concatenate([plan.q[b], plan.qd[b]]))
    return np.array(found), np.array(planned), chosen


@pytest.mark.parametrize("collocation", RULES)
def test_errors_are_those_that_scipy_finds(collocation):
    plan = sg.plan(swing(collocation))
    found, planned, chosen = ends(plan, every=3)
    off, nv = np.abs(found - planned), plan.task.robot.nv
    way = np.trapezoid(np.abs(plan.qd), plan.t, axis=0).max()
    errors, top = plan.step_errors, np.abs(plan.qd).max()
    assert errors.position[chosen] == pytest.approx(off[:, :nv].max(axis=1) / way, rel=0.05, abs=2e-5)
    assert errors.velocity[chosen] == pytest.approx(off[:, nv:].max(axis=1) / top, rel=0.05, abs=2e-5)
    assert plan.error == plan.step_errors.position.max()


@pytest.mark.suite
def test_errors_of_stiff_robots_are_those_that_scipy_finds():
    """The Z1's gripper stops within microseconds: its damping is far above what its inertia takes up in a step."""
    robot = sg.load(robot_file("z1.urdf"))
    goal = robot.neutral() + 0.3
    task = Task(robot, horizon(8, duration=1.0), start=robot.neutral(), goals=(Position(goal), Velocity(0.0)))
    plan = sg.plan(replace(task, costs=(Effort(1.0),), collocation="radau"))
    found, planned, chosen = ends(plan, every=3)
    way = np.trapezoid(np.abs(plan.qd), plan.t, axis=0).max()
    expected = np.abs(found - planned)[:, : robot.nv].max(axis=1) / way
    assert plan.step_errors.position[chosen] == pytest.approx(expected, rel=0.05, abs=2e-5)


@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e7])
def test_the_integrator_meets_closed_forms(stiffness):
    """v' = k (sin t - v) and d' = v: the exact solution has a part that decays, and one that follows."""
    h, tol = 0.3, 1e-7
    motions = MotionStretches(
        np.array([[1.0], [0.2]]),
        np.full(2, h),
        lambda d, v: v,
        lambda which, part, d, v: stiffness * (np.sin(part * h) - v),
    )
    d, v = integrate_stretches(motions, (np.array([tol]), np.array([tol])))
    k = stiffness
    follow = lambda t: k * (k * np.sin(t) - np.cos(t)) / (k**2 + 1)  # noqa: E731
    decay = motions.velocity[:, 0] + k / (k**2 + 1)
    assert v[:, 0] == pytest.approx(decay * np.exp(-k * h) + follow(h), abs=10 * tol)
    gone = k * (-k * np.cos(h) - np.sin(h) + k) / (k**2 + 1)
    assert d[:, 0] == pytest.approx(decay * (1 - np.exp(-k * h)) / k + gone, abs=10 * tol)


def test_motions_that_leave_all_bounds_have_no_end():
    """v' = v^2 from v = 10 is infinite after 0.1 s."""
    blow = MotionStretches(np.array([[10.0], [1.0]]), np.full(2, 0.2), lambda d, v: v, lambda which, part, d, v: v * v)
    _, v = integrate_stretches(blow, (np.array([1e-6]), np.array([1e-6])))
    assert np.isnan(v[0, 0])
    assert v[1, 0] == pytest.approx(1.0 / (1.0 - 0.2), abs=1e-5)


def test_errors_of_mechanisms_shrink_with_the_order_of_the_rule():
    mechanism, errors = sg.load_mechanism("four_bar_angle"), []
    goals = (Position({"theta": 1.2}), Velocity())
    for steps in (10, 20):
        task = Task(mechanism, horizon(steps, duration=1.0), start={"theta": 0.3}, goals=goals, costs=(Effort(),))
        plan = sg.plan(replace(task, collocation="trapezoidal"), refine=False)
        assert plan.converged, plan
        errors.append(plan.error)
    assert errors[1] < errors[0] / 4.0


def test_plans_with_long_steps_are_coarse_and_say_where():
    plan = sg.plan(swing("trapezoidal", 4))
    assert plan.converged
    assert plan.coarse
    assert not plan.solved
    assert plan.status.startswith("solved, coarse: interval")
    assert "of the way" in repr(plan)
    assert sg.plan(swing("trapezoidal", 4, accuracy=0.5)).status == "solved"


def test_an_accuracy_is_a_part_of_the_way():
    with pytest.raises(InputError, match="the accuracy is 2"):
        swing("radau", accuracy=2)


@pytest.mark.parametrize("collocation", ["euler", "trapezoidal", "hermite_simpson", "radau"])
def test_refinement_goes_on_until_all_steps_are_accurate(collocation):
    plan = sg.plan(swing(collocation, 4, accuracy=3e-3 if collocation == "euler" else 1e-4), refine=True)
    assert plan.status == "solved", plan
    found, planned, _ = ends(plan, every=3)
    way = np.trapezoid(np.abs(plan.qd), plan.t, axis=0).max()
    assert np.abs(found - planned)[:, :2].max() <= 1.1 * plan.task.accuracy * way


def test_refinement_keeps_times_at_which_goals_are_due():
    task = swing("trapezoidal", 4, accuracy=1e-4)
    stop = Position([0.5, 0.5], 0.5)
    plan = sg.plan(replace(task, goals=(*task.goals, stop)), refine=True)
    assert plan.status == "solved"
    assert plan.at(0.5).q == pytest.approx([0.5, 0.5], abs=1e-6)


def test_meshes_need_not_be_even():
    phases = (replace(horizon(3, duration=1.0)[0], mesh=(0.1, 0.5, 1.0)),)
    plan = sg.plan(replace(swing("radau"), phases=phases))
    assert plan.t == pytest.approx([0.0, 0.1 / 3, 0.1, 0.1 + 0.4 / 3, 0.5, 0.5 + 0.5 / 3, 1.0])
    with pytest.raises(InputError, match="ascending"):
        replace(horizon(2, duration=1.0)[0], mesh=(0.7, 0.6))


def test_plans_without_dynamics_have_no_errors_and_are_not_refined():
    planner = Planner(read_task("plan7"))
    assert planner.solve().error is None
    with pytest.raises(InputError, match="cannot be refined"):
        planner.solve(refine=True)


def test_plans_whose_errors_are_not_known_are_not_refined(monkeypatch):
    monkeypatch.setattr(Plan, "_estimate", (None, "no error estimate"))
    plan = sg.plan(swing("radau", 3, limits=(VelocityLimit(1.0),)), refine=True)
    assert plan.converged
    assert plan.error is None
    assert len(plan.transcription.steps.first) == 3
