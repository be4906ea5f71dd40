"""Plans that are made anew at every step: there is one whatever was measured, and it says what it could not keep."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Planner, read_task, task_names
from screwgraph.motion.planning.costs import Path
from screwgraph.motion.planning.goals import Point, Position
from screwgraph.motion.planning.goals.position import complete_position
from screwgraph.motion.planning.limits import EffortLimit, PositionLimit
from screwgraph.motion.planning.search.receding_horizon import advance_task
from screwgraph.motion.planning.search.relaxation import RECOVERY
from tests.motion.planning.closed_loops import OWN, Q, arm, beside_a_ball, controlled, five_bar, to

NOISE = 1e-3
SHORT = ("arm at a position limit", "mobile base, kinematic", "five-bar linkage")


def check(task, plans, left=0.2):
    """See that all commands are usable, and that all but a part of the way to each goal is made; count these goals."""
    steps = plans[0].transcription.steps
    limits = [limit.box(steps) for limit in task.limits if isinstance(limit, EffortLimit)]
    for plan in plans:
        if task.dynamics:
            assert np.isfinite(plan.efforts).all()
            for lower, upper in limits:
                assert (plan.efforts[0] < upper + 1e-6).all()
                assert (plan.efforts[0] > lower - 1e-6).all()
        assert np.isfinite(plan.q).all()
        assert not any("no plan was found" in words for words in plan.relaxed), plan
    robot, ends, count = task.robot, (plans[0].q[0], plans[-1].q[0]), 0
    for goal in task.goals:
        if isinstance(goal, Position) and goal.sigma is None and goal.time == "end" and robot.nq == robot.nv:
            at, joints = complete_position(robot, goal.at)
            places = np.concatenate([np.arange(robot.nq)[robot.q_slices[joint]] for joint in joints])
            first, last = (np.abs(q[places] - at[places]).max() for q in ends)
        elif isinstance(goal, Point):
            where = sg.forward_kinematics(robot, goal.frame)
            first, last = (np.linalg.norm(where(q)[:3, 3] - goal.at) for q in ends)
        else:
            continue
        assert last < (left * first if first > 0.1 else 0.15), goal  # a hop in place begins where it ends
        count += 1
    return count


@pytest.mark.parametrize("name", SHORT)
def test_commands_are_usable_and_lead_to_the_goal(name):
    task = OWN[name]()
    assert check(task, controlled(task, 25, NOISE)[1], left=0.1) == 1


@pytest.mark.suite
@pytest.mark.parametrize("name", OWN)
def test_commands_stay_usable_for_two_hundred_steps(name):
    task = OWN[name]()
    check(task, controlled(task, 200, NOISE)[1])


@pytest.mark.suite
@pytest.mark.parametrize("name", task_names())
def test_built_in_tasks_go_on_for_two_hundred_steps(name):
    task = read_task(name)
    check(replace(task, goals=()), controlled(task, 200, NOISE)[1])


def test_times_of_paths_stay_ascending_however_often_the_horizon_moves():
    task = read_task("a1_trot")
    for passed in range(1, 56):
        task = advance_task(task, 1, 0.01)
        paths = [cost for cost in task.costs if isinstance(cost, Path)]
        assert all((np.diff(path.times) > 0.0).all() for path in paths), passed
    assert not paths
    assert [phase.steps for phase in task.phases] == [55]


def test_a_violated_limit_decays_as_stated_and_is_named():
    planner = Planner(arm(limits=(PositionLimit({"joint1": (-1.0, 0.9)}), EffortLimit(60.0))))
    planner.solve()
    q, qd = np.array([0.93, 0.2, 0.3]), np.array([0.1, 0.0, 0.0])
    plan = planner.step(q=q, qd=qd)
    assert plan.converged
    assert not plan.solved
    assert plan.relaxed == (
        "limit 1: position of joint 'joint1' exceeds its limit by 0.03 rad at the start, "
        "which decays with a time constant of 0.1 s",
    )
    assert "relaxed: limit 1" in plan.status
    allowed = 0.9 + (0.03 + (0.1 + 0.03 / RECOVERY) * plan.t) * np.exp(-plan.t / RECOVERY)
    assert (plan.q[:, 0] < allowed + 1e-6).all()
    assert np.abs(plan.tau).max() < 60.0 + 1e-6
    assert planner.step(q=[0.8, 0.2, 0.3], qd=np.zeros(3)).relaxed == ()


def test_a_sphere_in_an_obstacle_comes_out_of_it():
    task = beside_a_ball(0.0)
    planner = Planner(task)
    planner.solve()

    def depth(q):
        return min(c for c, *_ in task.obstacles[0].clearances(planner.mechanics, q, 0.0))

    near = Q + 0.02 * np.random.default_rng(0).standard_normal((1000, 3))
    inside = next(q for q in near if -2e-3 < depth(q) < -1e-3)
    plan = planner.step(q=inside, qd=np.zeros(3))
    assert np.isfinite(plan.tau).all()
    assert plan.converged, plan
    off = f"obstacle 1: spheres are {-depth(inside):.3g} m too near at the start"
    assert any(words.startswith(off) for words in plan.relaxed), plan.relaxed
    assert depth(plan.q[-1]) > -1e-5


def test_goals_give_way_where_torques_do_not_suffice():
    planner = Planner(to(sg.load("cart_pole"), None, {"x": 0.2}, actuated=("x",), limits=(EffortLimit(3.0),)))
    assert planner.solve().converged
    plan = planner.step(q=[0.0, 0.0], qd=[5.0, 0.0])
    assert plan.feasible
    assert np.abs(plan.efforts).max() < 3.0 + 1e-6
    assert any(words.startswith("goal 1: joint 'x' is") for words in plan.relaxed), plan.relaxed
    assert plan.q[0] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_what_is_not_finite_is_replaced_and_said():
    planner = Planner(arm())
    first = planner.solve()
    by = first.transcription.steps.per_step
    plan = planner.step(q=[0.0, np.nan, 0.0])
    assert plan.relaxed == ("the measured position is not finite: the planned one is taken",)
    assert plan.q[0] == pytest.approx(first.q[by], abs=1e-8)


def test_loops_that_do_not_close_where_they_are_measured_close_again():
    planner = Planner(five_bar())
    first = planner.solve()
    by = first.transcription.steps.per_step
    plan = planner.step(q=first.q[by] + [0.0, 0.0, 1e-3, -1e-3])
    errors = [np.abs(np.array(sg.robot.constraint_residual(plan.task.robot, q))).max() for q in (plan.q[0], plan.q[-1])]
    assert errors[0] > 1e-4
    assert errors[1] < 0.1 * errors[0]


def test_a_start_that_was_free_is_where_the_robot_was_measured():
    planner = Planner(read_task("plan7"))
    first = planner.solve()
    plan = planner.step(q=first.q[1] + 1e-3)
    assert plan.converged
    assert plan.q[0] == pytest.approx(first.q[1] + 1e-3, abs=1e-6)


@pytest.mark.parametrize("collocation", ["trapezoidal", "linear_acceleration", "hermite_simpson"])
@pytest.mark.parametrize(("beyond", "where"), [(2e-5, "at the start"), (-2e-5, "in the first step")])
@pytest.mark.parametrize("step", [0.1, 0.4])  # s: the time of recovery, and four of these
def test_what_the_velocity_carries_beyond_a_limit_in_the_first_step_is_no_contradiction(
    collocation, beyond, where, step
):
    limits = (PositionLimit({"joint1": (-1.0, 0.9)}), EffortLimit(60.0))
    planner = Planner(arm(limits=limits, collocation=collocation, seconds=10 * step))
    planner.solve()
    speed = 0.2
    plan = planner.step(q=[0.9 + beyond, 0.2, 0.3], qd=[speed, 0.0, 0.0])
    assert plan.converged
    assert plan.iterations < 30
    assert [words.split(", which")[0].rpartition(" rad ")[2] for words in plan.relaxed] == [where], plan.relaxed
    share = {"trapezoidal": 1 / 4, "linear_acceleration": 1 / 6, "hermite_simpson": 1 / 6}[collocation]
    size = beyond if beyond > 0.0 else beyond + share * speed * step  # of the first control point
    allowed = 0.9 + (size + (speed + size / RECOVERY) * plan.t) * np.exp(-plan.t / RECOVERY)
    assert (plan.q[1:, 0] < allowed[1:] + 1e-6).all()
    assert plan.q[-1, 0] < 0.9


def test_slower_states_within_a_limit_violate_nothing():
    planner = Planner(
        arm(limits=(PositionLimit({"joint1": (-1.0, 0.9)}), EffortLimit(60.0)), collocation="trapezoidal")
    )
    planner.solve()
    plan = planner.step(q=[0.9 - 6e-3, 0.2, 0.3], qd=[0.2, 0.0, 0.0])  # a quarter of a step leads 5 mrad on
    assert plan.converged
    assert plan.relaxed == ()
    assert (plan.q[:, 0] < 0.9 + 1e-8).all()
