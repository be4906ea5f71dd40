"""Plans that are edited equal plans of the edited problem."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Phase, Replanner, Task, horizon
from screwgraph.motion.planning.collision import BodySphere, Sphere
from screwgraph.motion.planning.contacts import PointContact
from screwgraph.motion.planning.costs import Acceleration, Effort, Smoothness
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.optimize import EditedProblem, Tolerances, each, solve
from tests.motion.planning.test_hops import HOPPER, LOW, foot


@pytest.fixture(scope="module")
def replanner():
    robot = sg.load("rrr" if "rrr" in sg.zoo_names() else next(iter(sg.zoo_names())))
    start = robot.neutral()
    task = Task(
        robot,
        horizon(12, duration=1.2),
        start=start,
        goals=(Position(start + 0.5, sigma=1e-3), Velocity(0.0)),
        costs=(Smoothness(1.0, "velocity"),),
        dynamics=False,
    )
    return Replanner(task)


def gap(replanner):
    assert replanner.last.success
    found = replanner.plan.result
    whole = solve(found.problem, found.values)
    return max(np.abs(whole.values[n] - found.values[n]).max() for n in whole.values)


def test_a_goal_moves(replanner):
    q = replanner.task.goals[0].at + 0.1
    assert replanner.set("goal 1: position", at=q).success
    assert gap(replanner) < 1e-8
    assert np.abs(replanner.state(-1)[0] - q).max() < 1e-2
    replanner.update(goals=(Position(q + 0.1, sigma=1e-3), Velocity(0.0)))
    assert np.abs(replanner.plan.q[-1] - q - 0.1).max() < 1e-2


def test_a_measured_state_pulls_the_plan(replanner):
    planned = replanner.state(4)[0]
    replanner.measure(4, planned + 0.05, sigma=1e-4)
    assert np.abs(replanner.state(4)[0] - planned - 0.05).max() < 1e-3
    assert gap(replanner) < 1e-8
    replanner.measure(4, planned - 0.05, sigma=1e-4)
    assert np.abs(replanner.state(4)[0] - planned + 0.05).max() < 1e-3


def test_an_obstacle_appears_and_goes(replanner):
    before = replanner.plan.q
    link = replanner.task.robot.links[-1].name
    sphere = BodySphere(link, (0.0, 0.0, 0.0), 0.05)
    avoid = Avoid((Sphere((10.0, 0.0, 0.0), 0.1),), (sphere,), sigma=0.01, order=2)
    replanner.update(obstacles=(avoid,))
    assert replanner.last.success
    replanner.update(obstacles=())
    assert np.abs(replanner.plan.q - before).max() < 1e-8


def test_wrong_edits_are_refused(replanner):
    with pytest.raises(InputError, match="nothing is measured"):
        replanner.measure(1)
    with pytest.raises(InputError, match="no point"):
        replanner.measure(99, replanner.task.robot.neutral())


def fresh(points=12, **fields):
    robot = sg.load("rrr")
    goals = (Position(np.full(3, 0.5), sigma=1e-3), Velocity(0.0))
    costs = (Smoothness(1.0, "velocity"),)
    task = {"start": np.zeros(3), "goals": goals, "costs": costs, "dynamics": False, **fields}
    return Replanner(Task(robot, horizon(points, duration=1.2), **task))


def test_single_points_are_asked_for_where_factors_are_hard():
    replanner = fresh()
    done = replanner.set("goal 1: position", at=np.full(3, 0.7), at_once=False)
    assert done.success
    assert done.iterations <= 5  # found without a search
    assert np.abs(replanner.state(-1)[0] - 0.7).max() < 1e-2
    assert gap(replanner) < 1e-8


def test_numbers_that_were_set_stay_until_the_task_says_something_else():
    replanner = fresh()
    name, set_to = "goal 1: position", np.full(3, 0.8)
    replanner.set(name, at=set_to)
    replanner.update(costs=(Smoothness(2.0, "velocity"),))
    assert (replanner.plan.result.problem[name].shared["at"] == set_to).all()
    replanner.update(phases=horizon(18, duration=1.2))  # other unknowns
    assert len(replanner.transcription.steps.times) == 37
    assert (replanner.plan.result.problem[name].shared["at"] == set_to).all()
    assert np.abs(replanner.plan.q[-1] - set_to).max() < 1e-2
    replanner.update(goals=(Position(np.full(3, 0.3), sigma=1e-3), Velocity(0.0)))
    assert np.abs(replanner.plan.q[-1] - 0.3).max() < 1e-2


def test_measurements_stay_at_their_times_when_unknowns_change():
    replanner = fresh()
    seen = replanner.state(4)[0] + 0.05
    replanner.measure(4, seen, sigma=1e-4)
    replanner.measure(8, qd=np.full(3, 0.1), sigma_qd=1e-4)
    replanner.update(phases=horizon(24, duration=1.2))
    assert np.abs(replanner.state(8)[0] - seen).max() < 1e-3
    assert np.abs(replanner.state(16)[1] - 0.1).max() < 1e-3
    replanner.measure(8, seen + 0.01, sigma=1e-4)
    assert np.abs(replanner.state(8)[0] - seen - 0.01).max() < 1e-3


@pytest.mark.parametrize("sigma", [1e-3, None])
def test_an_obstacle_that_appears_on_the_way_pushes_the_plan_aside(sigma):
    replanner = fresh(points=20)
    robot, before = replanner.task.robot, replanner.plan.q
    link = robot.links[-1].name
    place = sg.forward_kinematics(robot, link)
    body = BodySphere(link, (0.0, 0.0, 0.0), 0.02)
    at = np.asarray(place(before[10]))[:3, 3] + np.array([0.0, 0.0, 0.01])
    centre, radius = tuple(at.tolist()), 0.05

    def clear(q):
        return min(float(np.linalg.norm(np.asarray(place(x))[:3, 3] - at)) for x in q) - radius - body.radius

    assert clear(before) < -0.05
    replanner.update(obstacles=(Avoid((Sphere(centre, radius),), (body,), sigma=sigma, order=2),))
    after = replanner.plan.q
    assert clear(after) > (-1e-7 if sigma is None else -5e-3)
    assert clear(after) < 1e-2  # it binds
    assert np.abs(after - before).max() > 1e-2
    whole = solve(replanner.plan.result.problem, replanner.plan.result.values)
    assert whole.cost == pytest.approx(replanner.plan.result.cost, rel=1e-5)
    replanner.update(obstacles=())
    assert np.abs(replanner.plan.q - before).max() < 1e-6


def test_a_changed_schedule_of_contacts_is_planned_anew():
    robot = sg.load(HOPPER)
    phases = (Phase(6, 0.4, "stand"),)
    standing = Task(
        robot,
        phases,
        start=LOW,
        goals=(Position(LOW), Velocity(0.0)),
        costs=(Effort(1.0), Acceleration(1e-3)),
        contacts=(PointContact("foot", phases=["stand"]),),
        actuated=("hip", "knee"),
    )
    replanner = Replanner(standing)
    names = {"push": 0.2, "flight": 0.2, "land": 0.2}
    hops = tuple(Phase(6, duration, name) for name, duration in names.items())
    contact = PointContact("foot", phases=["push", "land"])
    assert replanner.update(phases=hops, contacts=(contact,)).success
    plan = replanner.plan
    assert plan.feasible
    q, qd = (np.array(parts) for parts in zip(*map(replanner.state, range(37)), strict=True))
    place, _ = foot(q, qd)
    assert np.abs(place[1][:13]).max() < 1e-4  # it stands while it pushes, but for errors of few steps
    assert place[1].min() > -1e-3
    assert qd[12, 0] > 0.3  # the trunk rises into a flight of 0.2 s, and falls out of it
    assert qd[24, 0] < -0.3
    assert replanner.update(costs=(Effort(2.0), Acceleration(1e-3))).success
    whole = solve(replanner.plan.result.problem, replanner.plan.result.values)
    assert whole.cost == pytest.approx(replanner.plan.result.cost, rel=1e-6)
    assert np.abs(replanner.state(9)[0] - replanner.plan.q[9]).max() < 1e-12


TIGHT = Tolerances(violation=1e-11, dual=1e-11, step=1e-15)


def moving(limits=()):
    """A plan with dynamics: torques and accelerations are unknowns, laws of motion are hard."""
    robot = sg.load("rrr")
    goals = (Position(np.full(3, 0.5)), Velocity(0.0))
    return Task(robot, horizon(8, duration=1.2), start=np.zeros(3), goals=goals, costs=(Effort(1.0),), limits=limits)


def differ(replanner, whole):
    """By how much values differ, relative to the largest of their family beyond 1: torques are some 100 N m."""
    values = replanner.plan.result.values
    return max(np.abs(whole.values[n] - values[n]).max() / max(1.0, np.abs(values[n]).max()) for n in values)


def test_a_plan_with_dynamics_follows_edits_and_measurements():
    replanner = Replanner(moving())
    for shift in (0.02, -0.03, 0.1):
        done = replanner.set("goal 1: position", at=np.full(3, 0.5 + shift))
        assert done.success
        assert done.cliques <= 3  # matrices: it was not searched for anew
        problem = replanner.plan.result.problem
        assert differ(replanner, solve(problem, replanner.plan.values, tolerances=TIGHT)) < 1e-8
    q, qd = replanner.state(5)
    for off in (0.002, 0.01, -0.01):
        assert replanner.measure(5, q + off, qd, sigma=1e-3).success
        problem = replanner.plan.result.problem
        assert differ(replanner, solve(problem, replanner.plan.values, tolerances=TIGHT)) < 1e-8
        assert np.abs(replanner.state(5)[0] - q - off).max() < 0.5 * abs(off)
    assert replanner.plan.violation < 1e-8


def test_limits_become_active_and_leave_where_a_plan_with_dynamics_is_edited():
    free = Replanner(moving())
    most = 0.93 * np.abs(free.plan.tau).max(axis=0)
    limits = (EffortLimit({j: float(b) for j, b in zip(free.task.robot.joint_names, most, strict=True)}),)
    replanner = Replanner(moving(limits))
    active = []
    for goal in (0.4, 0.6, 0.5):
        before = replanner.plan
        assert replanner.set("goal 1: position", at=np.full(3, goal)).success
        plan = replanner.plan
        active.append(int((np.abs(plan.tau) > most - 1e-7).sum()))
        assert (np.abs(plan.tau) < most + 1e-8).all()
        anew = EditedProblem(plan.result.problem, before.values)  # a search, from the plan that was
        assert differ(replanner, anew.result) < 1e-8
        barrier = solve(plan.result.problem, before.values, tolerances=TIGHT)
        assert np.abs(barrier.values["q"] - plan.q).max() < 1e-6  # what barriers, divided by multipliers, leave
    assert len(set(active)) > 1


def test_a_foothold_is_moved():
    phases = (Phase(4, 0.2, "push"), Phase(4, 0.2, "flight"), Phase(4, 0.2, "land"))
    contact = PointContact("foot", phases=["push", "land"], at=[[0.0, 0.0, 0.0], [0.05, 0.0, 0.0]])
    task = Task(
        sg.load(HOPPER),
        phases,
        start=LOW,
        goals=(Velocity(0.0),),
        costs=(Effort(1.0), Acceleration(1e-3)),
        contacts=(contact,),
        actuated=("hip", "knee"),
    )
    replanner = Replanner(task)
    name, before = "contact 1: foothold", replanner.plan.q
    at = replanner.transcription.problem[name].each["at"]
    moved = at + np.array([0.01, 0.0, 0.0])
    assert replanner.set(name, at=each(moved)).success
    plan, land = replanner.plan, replanner.transcription.steps.states[2]
    place, _ = foot(plan.q[land], plan.qd[land])
    assert place[0][0] == pytest.approx(moved[-1, 0], abs=1e-9)
    assert np.abs(plan.q - before).max() > 1e-3
    whole = solve(plan.result.problem, plan.values, tolerances=TIGHT)
    assert np.abs(whole.values["q"] - plan.q).max() < 1e-7
    assert replanner.set(name, at=each(at)).success
    assert np.abs(replanner.plan.q - before).max() < 1e-8


def test_a_joint_that_is_measured_after_all_of_them_leaves_the_others_free():
    replanner = fresh()
    planned = replanner.state(4)[0]
    replanner.measure(4, planned + 0.3, sigma=1e-4)
    replanner.measure(4, {replanner.task.robot.joint_names[0]: planned[0] - 0.3}, sigma=1e-4)
    seen = replanner.state(4)[0] - planned
    assert seen[0] == pytest.approx(-0.3, abs=1e-3)
    assert np.abs(seen[1:]).max() < 1e-6


def test_numbers_of_an_item_are_found_in_its_factors():
    replanner = fresh()
    assert replanner.set("goal 1", at=np.full(3, 0.6)).success
    assert np.abs(replanner.state(-1)[0] - 0.6).max() < 1e-2
    with pytest.raises(InputError, match="goal 1"):
        replanner.set("goal 1", weight=3.0)
