"""Copies and pickles of planners plan what their originals do, bit for bit, in threads and processes, too."""

import multiprocessing
import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import wait_for_optimised
from screwgraph.motion.planning import Plan, Planner, Replanner, Task, horizon, read_task
from screwgraph.motion.planning.costs import Smoothness
from screwgraph.motion.planning.goals import Point, Position, Velocity
from screwgraph.motion.planning.limits import PositionLimit
from screwgraph.motion.planning.search.planner import RECOVERY
from screwgraph.optimize import EditedProblem, Incremental, Problem

OFTEN = 1e-6
"""How soon another thread may go on (s)."""


def reload(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def arm_task() -> Task:
    """Return a task whose goals are of frames, so that its checks and guesses evaluate poses."""
    robot = sg.load("puma560")
    goals = Point("link6", (0.4, 0.3, 0.4)), Velocity(0.0)
    costs = (Smoothness(1.0, "velocity"),)
    return Task(robot, horizon(8, duration=1.0), robot.neutral(), goals=goals, costs=costs, dynamics=False)


def plan_settled(plan: Callable[..., Plan], *given: Any) -> Plan:
    """Plan by fast code: drafts, which answer until it is there, round otherwise."""
    plan(*given)
    wait_for_optimised()
    return plan(*given)


@pytest.fixture(scope="module", params=["cp2", "arm"])
def planner(request) -> Planner:
    made = Planner(read_task("cp2") if request.param == "cp2" else arm_task())
    plan_settled(made.solve)
    return made


@pytest.fixture
def often() -> Iterator[None]:
    """Let threads take turns often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(OFTEN)
    yield
    sys.setswitchinterval(before)


def states(plan: Plan) -> bytes:
    return plan.q.tobytes() + plan.qd.tobytes()


def move_goal(planner: Planner, by: float) -> None:
    first, *others = planner.task.goals
    assert isinstance(first, Position | Point)
    at = {**first.at, "x": 1.0 + by} if isinstance(first, Position) else np.add(first.at, 0.2 * by)
    planner.change(goals=(replace(first, at=at), *others))


def search_from_first(planner: Planner) -> Plan:
    return planner.solve()


@pytest.mark.parametrize("make", [copy, deepcopy, reload])
def test_copies_plan_as_their_original_and_leave_it_alone(planner, make: Callable):
    alone, other = states(planner.solve()), make(planner)
    assert other.plan.status == planner.plan.status
    assert states(other.plan) == alone
    assert states(other.solve()) == alone
    task = planner.task
    move_goal(other, 0.5)
    changed = other.solve(warm=True)
    assert changed.solved
    assert states(changed) != alone
    assert planner.task is task
    assert states(planner.plan) == alone
    assert states(planner.solve()) == alone


@pytest.mark.parametrize("make", [deepcopy, reload])
def test_copies_of_plans_have_their_own_numbers(planner, make: Callable):
    plan = planner.solve()
    other, before = make(plan), plan.q.copy()
    assert other.status == plan.status
    assert other.costs == pytest.approx(plan.costs, rel=1e-12)
    assert np.array_equal(other.at(0.3).q, plan.at(0.3).q)
    other.result.iterate.x[:] = 0.0
    other.q[:] = 0.0
    assert np.array_equal(plan.q, before)


def test_a_loaded_planner_goes_on_with_a_horizon_that_moves(planner):
    if not planner.task.dynamics:
        pytest.skip("nothing moves")
    both = planner, reload(planner)
    first, second = (p.step(q=p.plan.q[1] + 0.01, recovery=RECOVERY) for p in both)
    assert states(first) == states(second)
    assert first.relaxed == second.relaxed
    loaded = reload(both[0])  # of a task whose start was measured
    assert states(both[0].step()) == states(loaded.step())


@pytest.mark.parametrize("own", [False, True])
def test_threads_plan_as_one_does(planner, often, own: bool):
    alone = states(planner.solve())
    used = [deepcopy(planner) if own else planner for _ in range(9)]
    with ThreadPoolExecutor(3) as pool:
        assert all(states(plan) == alone for plan in pool.map(search_from_first, used))


def test_threads_that_change_copies_plan_as_one_does(planner, often):
    def search(by: float) -> bytes:
        own = copy(planner)
        move_goal(own, by)
        return states(own.solve())

    ways = [0.0, 0.05, 0.1]
    alone = [search(by) for by in ways]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(search, ways * 3)) == alone * 3


def test_processes_plan_as_one_does():
    planner = Planner(arm_task())
    alone = plan_settled(planner.solve)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        calls = (search_from_first, planner), (sg.plan, planner.task)
        of_planner, of_task = (pool.apply(plan_settled, call) for call in calls)
    assert states(of_planner) == states(of_task) == states(alone)
    assert of_planner.solved


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("make", [copy, deepcopy, reload])
def test_copies_of_replanners_are_edited_by_themselves(make: Callable, limited: bool):
    robot = sg.load("rrr")
    start = robot.neutral()
    goals = Position(start, 0.0, sigma=1e-3), Position(start + 0.5, sigma=1e-3)
    limits = (PositionLimit(dict.fromkeys(robot.joint_names, (-1.0, 1.0))),) if limited else ()
    costs = (Smoothness(1.0, "velocity"),)
    steps = horizon(12, duration=1.2)
    first = Replanner(Task(robot, steps, None, None, goals, costs, limits, dynamics=False, collocation="none"))
    assert isinstance(first._solution, EditedProblem if limited else Incremental)
    first.measure(4, first.state(4)[0] + 0.05, sigma=1e-4)
    other, before = make(first), first.plan.q.copy()
    assert other.last == first.last
    assert other.plan.q == pytest.approx(before, abs=1e-9)
    seen = other.state(8)[0] + 0.02
    other.measure(8, seen, sigma=1e-4)
    assert np.array_equal(first.plan.q, before)
    first.measure(8, seen, sigma=1e-4)
    assert other.plan.q == pytest.approx(first.plan.q, abs=1e-8)


@pytest.mark.parametrize("make", [copy, deepcopy, reload])
def test_edits_wait_for_a_copy_that_another_thread_makes(make: Callable, monkeypatch):
    """They were lost: a copy takes in all changes of numbers so far, and forgot those that came meanwhile."""
    replanner = Replanner(arm_task())
    begun, edited, take_in = Event(), Event(), Problem.with_parameters

    def take_in_slowly(problem: Problem, changes: Any) -> Problem:
        found = take_in(problem, changes)
        begun.set()
        edited.wait(0.3)
        return found

    replanner.set("goal 1", at=[0.4, 0.3, 0.41])
    monkeypatch.setattr(Problem, "with_parameters", take_in_slowly)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(make, replanner)
        assert begun.wait(60.0)
        replanner.set("goal 1", at=[0.4, 0.3, 0.43])
        edited.set()
        other = other.result()
    for one, height in ((replanner, 0.43), (other, 0.41)):
        tip = sg.forward_kinematics(one.task.robot, "link6")(one.plan.q[-1])[:3, 3]
        assert tip == pytest.approx([0.4, 0.3, height], abs=1e-6)
        assert np.ravel(one.plan.result.problem["goal 1: point"].shared["at"])[-1] == height
