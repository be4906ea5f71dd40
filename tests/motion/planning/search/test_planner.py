"""Planning again: warm starts, other goals, a horizon that moves along."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Planner, Task, horizon, read_task, save_plan
from screwgraph.motion.planning.collision import BodySphere, Sphere
from screwgraph.motion.planning.costs import Acceleration
from screwgraph.motion.planning.goals import Point, Position, Velocity
from screwgraph.motion.planning.limits import PositionLimit, VelocityLimit
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.optimize import InteriorPoint, kernels
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.solve import MAKING


@pytest.fixture(scope="module")
def planner():
    made = Planner(read_task("cp2lim12"))
    made.solve()
    return made


@pytest.fixture(scope="module")
def free_planner():
    made = Planner(read_task("cp2"))
    made.solve()
    return made


def goals(x):
    return tuple(
        g for t, at in ((2.0, x), (4.0, -1.0)) for g in (Position({"x": at, "theta": np.pi}, t), Velocity(0.0, t))
    )


def test_a_warm_start_at_the_solution_takes_no_step(planner):
    assert planner.solve(warm=True).iterations == 0


def test_a_task_that_is_planned_again_has_its_code_already():
    first, again = sg.plan("cp2"), sg.plan(read_task("cp2"))
    assert again.transcription.problem is first.transcription.problem
    assert again.cost == first.cost
    task = read_task("cp2")
    other = sg.plan(replace(task, robot=replace(task.robot, gravity=(0.0, -9.7, 0.0))))
    assert other.transcription.problem is not first.transcription.problem
    assert other.cost != first.cost


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


def test_goals_that_contradict_each_other_or_a_limit_are_named_and_the_planner_keeps_its_task(planner):
    before = planner.task
    with pytest.raises(
        InputError, match="goal 2: joint 'x' must have the position 2 at t = 2 s: goal 1 requires the position 1 then"
    ):
        planner.change(goals=(Position({"x": 1.0}, 2.0), Position({"x": 2.0}, 2.0)))
    with pytest.raises(
        InputError, match="goal 1: joint 'x' must have the velocity 3: its upper limit is 2, says limit 1"
    ):
        planner.change(goals=(Velocity({"x": 3.0}, 2.0),), limits=(VelocityLimit({"x": 2.0}),))
    with pytest.raises(
        InputError, match="goal 1: joint 'theta' must have the position 1 at t = 0 s: start requires the position 0"
    ):
        planner.change(goals=(Position({"theta": 1.0}, "start"),))
    assert planner.task is before


def test_a_goal_that_is_too_far_is_told_with_the_time_that_it_takes():
    robot = sg.load("panda")
    limits, start = (VelocityLimit(), PositionLimit()), [0, -0.8, 0, -2.4, 0, 1.6, 0.8]
    goals = (Position({"panda_joint1": 2.8}), Velocity())
    plan = sg.plan(Task(robot, horizon(10, duration=1.0), start, goals=goals, limits=limits, dynamics=False))
    assert plan.status == "infeasible"
    assert not plan.feasible
    assert "goal 1 takes joint 'panda_joint1' 1.29 s at its largest velocity, and is due in 1 s" in plan.reason


def test_frames_that_no_position_brings_to_their_goal_are_told_and_replanning_goes_on():
    robot = sg.load("rrr")
    hand = robot.links[-1].name
    place = np.asarray(Mechanics(robot).pose_of(hand)([0.4, 0.6, 0.3]))[:3, 3]
    reachable = (Point(hand, tuple(place)), Velocity())
    task = Task(robot, horizon(10, duration=1.0), [0, 0, 0], goals=reachable, costs=(Acceleration(),), dynamics=False)
    planner = Planner(task)
    first = planner.solve()
    planner.change(goals=(Point(hand, (90.0, 0.0, 0.0)), Velocity()))
    lost = planner.solve(warm=True)
    assert not lost.feasible
    assert "goal 1 is out of reach: 90 m" in lost.reason
    planner.change(goals=reachable)
    again = planner.solve(warm=True)
    assert again.solved
    assert again.cost == pytest.approx(first.cost, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_goal_slightly_moved_takes_a_few_steps_with_the_old_matrix(free_planner, seed):
    planner = free_planner
    moved = 1.0 + 1e-3 * np.random.default_rng(seed).normal()
    planner.change(goals=goals(1.0))
    planner.solve(warm=True)
    planner.change(goals=goals(moved))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KktSystem, "factor", lambda *_: pytest.fail("a new matrix was factored"))
        plan = planner.solve(warm=True)
    assert plan.solved
    assert 1 <= plan.iterations <= 4
    assert plan.cost == pytest.approx(Planner(planner.task).solve().cost, rel=1e-6)


def test_an_interrupted_plan_keeps_the_best_that_it_came_to():
    told = []

    def interrupt(progress):
        told.append(progress)
        if progress.iteration == 6:
            raise KeyboardInterrupt

    plan = sg.plan("cp2", callback=interrupt)
    assert plan.status == "not feasible: interrupted"
    assert plan.iterations == 6
    best = min(told, key=lambda p: (max(p.violation, 1e-8), p.cost))
    assert (plan.violation, plan.cost) == (best.violation, best.cost)
    assert plan.values["tau"] == pytest.approx(best.values["tau"])


def test_what_is_interrupted_before_anything_is_known_counts_as_not_feasible(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(InteriorPoint, "__call__", interrupted)
    plan = sg.plan("cp2")
    assert plan.status == "not feasible: interrupted"
    assert save_plan(plan, tmp_path / "plan.npz").name == "plan.not_feasible.npz"


def test_a_horizon_is_moved_to_where_the_robot_collides_and_out_of_there():
    robot, there = sg.load("rr"), np.array([1.0, 0.5])
    link = robot.links[-1].name
    place = np.asarray(Mechanics(robot).pose_of(link)(there))[:3, 3]
    avoid = Avoid((Sphere(tuple(place), 0.05),), (BodySphere(link, radius=0.05),))
    costs = (Acceleration(),)
    planner = Planner(Task(robot, horizon(4, duration=1.0), [0, 0], costs=costs, obstacles=(avoid,), dynamics=False))
    assert planner.solve().solved
    inside = planner.step(q=there)
    assert inside.q[0] == pytest.approx(there, abs=1e-8)
    assert inside.relaxed[0].startswith("obstacle 1: spheres are 0.1 m too near at the start")
    assert planner.step(q=[0.0, 0.0], qd=[0.0, 0.0]).solved


def test_a_time_limit_includes_the_making_of_code():
    planner = Planner(read_task("cp2"))
    late = planner.solve(seconds=0.0)
    assert late.status == "not feasible: time limit"
    assert late.reason == MAKING
    assert planner.solve().solved


def test_a_search_of_less_than_nothing_is_refused(planner):
    for options in ({"iterations": -1}, {"seconds": -1.0}):
        with pytest.raises(sg.InputError, match=f"{next(iter(options))} = -1"):
            planner.solve(**options)
