"""Planning again: warm starts, other goals, a horizon that moves along."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.errors import InputError
from screwgraph.optimize import kernels
from screwgraph.plan import Planner, read_task
from screwgraph.plan.goals import Position, Velocity


@pytest.fixture(scope="module")
def planner():
    made = Planner(read_task("cp2lim12"))
    made.solve()
    return made


def goals(x):
    return tuple(
        g for t, at in ((2.0, x), (4.0, -1.0)) for g in (Position({"x": at, "theta": np.pi}, t), Velocity(0.0, t))
    )


def test_a_warm_start_at_the_solution_takes_no_step(planner):
    assert planner.solve(warm=True).iterations == 0


def test_another_goal_is_reached_without_new_code(planner):
    made = kernels.kernels.cache_info().misses
    planner.change(goals=goals(1.1))
    plan = planner.solve(warm=True)
    assert kernels.kernels.cache_info().misses == made
    assert plan.solved
    assert plan.q[100] == pytest.approx([1.1, np.pi], abs=1e-7)
    cold = Planner(planner.task).solve()
    assert plan.cost == pytest.approx(cold.cost, rel=1e-6)
    assert plan.iterations < cold.iterations


def test_the_horizon_moves_along_from_where_the_robot_is():
    planner = Planner(read_task("cp2lim12"))
    first = planner.solve()
    measured = first.q[1] + [0.01, -0.02]
    second = planner.step(q=measured)
    assert second.solved
    assert second.q[0] == pytest.approx(measured, abs=1e-7)
    assert second.qd[0] == pytest.approx(first.qd[1], abs=1e-7)
    assert second.q[100] == pytest.approx([1.0, np.pi], abs=1e-7)
    assert second.cost == pytest.approx(Planner(planner.task).solve().cost, rel=1e-6)
    with pytest.raises(InputError, match="300 steps have passed: the horizon has 200"):
        planner.step(300)


def test_contradicting_goals_are_named_and_the_plan_says_that_it_is_none():
    planner = Planner(read_task("cp2"))
    planner.change(goals=(Position({"x": 1.0}, 2.0), Position({"x": 2.0}, 2.0)))
    plan = planner.solve()
    assert plan.status == "infeasible"
    assert not plan.feasible
    assert "goal" in plan.reason


def test_an_interrupted_plan_keeps_what_it_came_to():
    def interrupt(progress):
        if progress.iteration == 3:
            raise KeyboardInterrupt

    plan = sg.plan("cp2", callback=interrupt)
    assert plan.status == "not feasible: interrupted"
    assert plan.iterations == 3
    assert np.isfinite(plan.tau).all()
