"""Goals for frames that contradict each other, or states that are given, are refused by their names and numbers."""

import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot.kinematics import frame_pose
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.costs import Acceleration
from screwgraph.motion.planning.goals import Direction, FrameVelocity, Point, Pose, Position, Velocity

TIP = "link6"


@pytest.fixture(scope="module")
def robot():
    return sg.load("puma560")


def plan(robot, *goals, **fields):
    steps, costs = horizon(6, duration=1.0), (Acceleration(1.0),)
    start = robot.neutral() + 0.2
    return Planner(Task(robot, steps, **{"start": start, "goals": goals, "costs": costs, "dynamics": False, **fields}))


def moving(x: float, time: float | str = "end"):
    return FrameVelocity(TIP, linear=(x, 0.0, 0.0), time=time)


CONFLICTS = {
    "points": (
        (Point(TIP, (0.4, 0.3, 0.4)), Point(TIP, (0.4, 0.3, 0.5))),
        r"goal 2: the point of frame 'link6' must be \(0.4, 0.3, 0.5\) at t = 1 s: goal 1 requires \(0.4, 0.3, 0.4\)",
    ),
    "points of an interval": (
        (Point(TIP, (0.4, 0.3, 0.4), time=(0.4, 0.8)), Point(TIP, (0.4, 0.3, 0.5), time=0.5)),
        r"goal 2: the point .* at t = 0.5 s: goal 1 requires",
    ),
    "poses": (
        (Pose(TIP, of=np.full(6, 0.3)), Pose(TIP, of=np.full(6, 0.4))),
        r"goal 2: the pose of frame 'link6' must be another one at t = 1 s: goal 1 requires one then",
    ),
    "directions": (
        (Direction(TIP, (0, 0, 1)), Direction(TIP, (0, 0, -1))),
        r"goal 2: the direction of frame 'link6' must be another one",
    ),
    "velocities": ((moving(0.1), moving(0.2)), r"goal 2: the linear velocity .* \(0.2, 0, 0\) at t = 1 s: goal 1"),
    "a velocity at rest": (
        (moving(0.1), Velocity(0.0)),
        r"goal 1: the linear velocity of frame 'link6' is 0.1 m/s off at t = 1 s: the velocity of all joints is given",
    ),
    "a velocity at the start": (
        (moving(0.3, "start"),),
        r"goal 1: the linear velocity of .* is 0.3 m/s off at t = 0 s",
    ),
    "a point at the start": (
        (Point(TIP, (0.1, 0.0, 0.2), time="start"),),
        r"goal 1: frame 'link6' is .* m from its point at t = 0 s: the position of all joints is given there",
    ),
    "a point and a position": (
        (Position(np.full(6, 0.5)), Point(TIP, (0.1, 0.0, 0.2))),
        r"goal 2: frame 'link6' is .* m from its point at t = 1 s",
    ),
}


@pytest.mark.parametrize("kind", CONFLICTS)
def test_goals_that_contradict_are_refused(robot, kind):
    goals, words = CONFLICTS[kind]
    with pytest.raises(InputError) as refused:
        plan(robot, *goals)
    assert re.search(words, str(refused.value))


def test_goals_that_agree_are_not(robot):
    q, start = np.full(6, 0.5), robot.neutral() + 0.2
    tip = frame_pose(robot, robot.frame(TIP), q)
    at_start = frame_pose(robot, robot.frame(TIP), start)[:3, 3]
    agreeing = (
        Position(q),
        Pose(TIP, of=q),
        Point(TIP, tip[:3, 3]),
        Point(TIP, at_start, time="start"),
        Velocity(0.0),
        moving(0.0),
        moving(0.1, 0.5),
        Point(TIP, (0.4, 0.3, 0.4), sigma=0.01),
    )
    plan(robot, *agreeing)


def test_a_measured_start_may_be_elsewhere(robot):
    start = robot.neutral() + 0.2
    planner = plan(robot, Point(TIP, frame_pose(robot, robot.frame(TIP), start)[:3, 3], time=(0.0, 1.0)), Velocity(0.0))
    assert planner.solve().feasible
    assert planner.step(q=start + 0.01).q[0] == pytest.approx(start + 0.01, abs=1e-6)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"costs": Acceleration(1.0)}, r"costs: expected several, got Acceleration"),
        ({"goals": "link6"}, r"goals: expected several, got 'link6'"),
        ({"goals": (Velocity,)}, r"goals: Velocity is a kind of item \(make one: Velocity\(\.\.\.\)\)"),
        ({"phases": 20}, r"a task needs phases \(phases=horizon"),
        ({"goals": (Pose(TIP),)}, r"goal 1: the pose of frame 'link6' is not given \(give at=T"),
        ({"goals": (Point(TIP, (0.4, 0.3, 0.4), sigma=-1.0),)}, r"^goal 1: point: sigma must be positive"),
        ({"goal": ()}, r"no field of a task is called 'goal' \(did you mean goals\?\)"),
    ],
)
def test_what_is_no_task_is_refused(robot, fields, words):
    planner = plan(robot)
    with pytest.raises(InputError, match=words):
        planner.change(**fields)


@pytest.mark.parametrize(
    "options", [{"iterations": "5"}, {"tolerances": 1e-6}, {"callback": 3}, {"warm": "yes"}, {"seconds": np.nan}]
)
def test_options_of_another_kind_are_refused(robot, options):
    (name,) = options
    with pytest.raises(InputError, match=f"{name}: expected"):
        plan(robot).solve(**options)


def test_positions_that_do_not_close_loops_are_no_goals():
    """Loops are laws of all points but given ones: such a goal was reached with loops that were open."""
    robot = sg.load("five_bar")
    with pytest.raises(InputError, match=r"goal 1: loops of 'five_bar' do not close there, by .* \(m, rad\) \(give"):
        plan(robot, Position(robot.neutral() + np.linspace(0.1, 0.4, robot.nq)), start=robot.neutral())
    plan(robot, Position(robot.neutral()), start=robot.neutral())


def test_velocities_that_open_loops_are_no_start():
    robot = sg.load("five_bar")
    start = robot.neutral()
    with pytest.raises(InputError, match=r"start: loops of 'five_bar' open at this velocity, by .* \(m/s, rad/s\)"):
        plan(robot, start=start, start_velocity=[1.0, 0.0, 0.0, 0.0])
    plan(robot, start=start, start_velocity=robot.complete_velocity(start, [1.0, -0.5]))
