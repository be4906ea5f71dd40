"""Goals at times between points: the state there, in the sense of the collocation, and against closed forms."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Phase, Planner, Task, horizon, read_task
from screwgraph.motion.planning.costs import Effort, Smoothness, Time
from screwgraph.motion.planning.goals import Acceleration, Direction, FrameVelocity, Point, Pose, Position, Velocity
from screwgraph.motion.planning.search.violation_report import demand, when
from screwgraph.ui.draw.motion import collect_goals
from tests.oracle import pinocchio_model

pin = pytest.importorskip("pinocchio")
RULES = ["trapezoidal", "linear_acceleration", "hermite_simpson", "radau", "radau_5", "euler", "held"]
LATE = 0.537
"""Between points of steps of 0.1 s."""
RAIL = """
name: rail
gravity: [0, 0, 0]
bodies:
  - {link: cart, joint: x, type: prismatic, axis: x, mass: 1}
"""
BODY = """
name: body
gravity: [0, 0, 0]
bodies:
  - {link: body, joint: free, type: floating, mass: 1, inertia: [0.02, 0.03, 0.04]}
"""


def make_task(*goals, **fields) -> Task:
    end = Position([0.8, -0.4]), Velocity(0.0)
    return Task(
        sg.load("rr"), horizon(10, dt=0.1), start=[0.1, 0.2], goals=(*goals, *end), costs=(Effort(1.0),), **fields
    )


@pytest.mark.parametrize("rule", RULES)
def test_positions_velocities_and_accelerations_are_those_at_the_time(rule):
    goals = Position({"joint1": 0.9}, LATE), Velocity({"joint2": 0.3}, LATE), Acceleration({"joint1": 2.0}, 0.213)
    plan = sg.plan(make_task(*goals, collocation=rule))
    assert plan.converged, plan
    late, early = plan.at(LATE), plan.at(0.213)
    assert late.q[0] == pytest.approx(0.9, abs=1e-7)
    assert late.qd[1] == pytest.approx(0.3, abs=1e-7)
    assert early.qdd[0] == pytest.approx(2.0, abs=1e-7)


def test_least_effort_through_a_point_is_a_cubic_spline():
    """A time that was rounded to a point would be off by more than ten times as much."""
    rail = Task(
        sg.load(RAIL),
        horizon(20, duration=1.0),
        start=[0.0],
        goals=(Position([0.9], LATE), Position([1.0]), Velocity(0.0)),
        costs=(Effort(1.0),),
        collocation="hermite_simpson",
    )
    plan = sg.plan(rail)
    exact = CubicSpline([0.0, LATE, 1.0], [0.0, 0.9, 1.0], bc_type="clamped")
    t = np.linspace(0.0, 1.0, 501)
    assert np.abs(plan.at(t).q[:, 0] - exact(t)).max() < 1e-4
    rounded = CubicSpline([0.0, 0.55, 1.0], [0.0, 0.9, 1.0], bc_type="clamped")
    assert np.abs(rounded(t) - exact(t)).max() > 1e-3


def test_frames_are_where_pinocchio_finds_them():
    robot = sg.load("puma560")
    model, data = pinocchio_model(robot)
    frame = robot.links[-1].name
    T = sg.forward_kinematics(robot, [frame])(np.array([0.3, -0.5, 0.2, 0.1, 0.4, 0.2]))[0]
    goals = Pose(frame, T, 0.537), FrameVelocity(frame, linear=[0.1, 0.0, 0.0], time=0.537), Velocity(0.0)
    plan = sg.plan(Task(robot, horizon(10, dt=0.1), start=robot.neutral(), goals=goals, costs=(Effort(1.0),)))
    assert plan.converged, plan
    state = plan.at(0.537)
    pin.forwardKinematics(model, data, state.q, state.qd)
    joint = model.njoints - 1
    assert data.oMi[joint].homogeneous == pytest.approx(T, abs=1e-6)
    v = pin.getVelocity(model, data, joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    assert v.linear == pytest.approx([0.1, 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("rule", ["radau", "hermite_simpson", "none"])
def test_a_body_that_turns_in_space_has_its_pose_at_the_time(rule):
    robot = sg.load(BODY)
    T = sg.forward_kinematics(robot, ["body"])(robot.random(np.random.default_rng(1)))[0]
    smooth: dict[str, Any] = (
        {"costs": (Smoothness(1.0),), "dynamics": False} if rule == "none" else {"costs": (Effort(1.0),)}
    )
    goals = Pose("body", T, LATE), Point("body", [0.1, 0.2, 0.3]), Direction("body", [1.0, 0.0, 0.0], time=0.92)
    task = Task(
        robot, horizon(10, dt=0.1), start=robot.neutral(), goals=goals, collocation=rule, actuated=("free",), **smooth
    )
    plan = sg.plan(task)
    assert plan.converged, plan
    late, last = sg.forward_kinematics(robot, ["body"])(plan.at(np.array([LATE, 0.92])).q)[:, 0]
    assert late == pytest.approx(T, abs=1e-6)
    assert last[:3, 2] == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)


def test_an_interval_includes_its_ends_between_points():
    plan = sg.plan(make_task(Position({"joint1": 0.7}, (0.437, 0.563))))
    assert plan.converged, plan
    assert plan.at(np.array([0.437, 0.5, 0.563])).q[:, 0] == pytest.approx(0.7, abs=1e-7)
    assert abs(plan.at(0.4).q[0] - 0.7) > 1e-3


def test_a_value_for_each_instant_of_an_interval():
    wanted = np.array([[0.3, 0.1], [0.35, 0.15], [0.4, 0.2]])
    goal = Position(wanted, (0.28, 0.34), sigma=1e-4)
    plan = sg.plan(make_task(goal, collocation="trapezoidal"))
    assert plan.at(np.array([0.28, 0.3, 0.34])).q == pytest.approx(wanted, abs=1e-2)
    with pytest.raises(InputError, match="goal 1: position: 2 values for 3 points of time"):
        Planner(make_task(replace(goal, at=wanted[:2]), collocation="trapezoidal"))


def test_times_count_with_the_given_durations():
    """Where a duration is free, a goal keeps its part of the phase."""
    phases = (Phase(10, 1.0, shortest=0.2, longest=3.0),)
    task = replace(make_task(Position({"joint1": 0.9}, LATE)), phases=phases, costs=(Effort(1.0), Time(30.0)))
    plan = sg.plan(task)
    assert plan.converged, plan
    assert abs(plan.t[-1] - 1.0) > 0.05
    assert plan.at(LATE * plan.t[-1]).q[0] == pytest.approx(0.9, abs=1e-7)


def test_times_are_kept_when_the_mesh_is_refined():
    plan = sg.plan(make_task(Position({"joint1": 0.9}, LATE), accuracy=1e-5), refine=True)
    assert plan.solved, plan
    assert plan.at(LATE).q[0] == pytest.approx(0.9, abs=1e-7)
    exact = sg.simulate(
        plan.task.robot, plan.q[0], plan.qd[0], time=LATE, dt=LATE / 40, tau=lambda t, q, qd: plan.at(t).tau
    )
    assert exact.q[-1, 0] == pytest.approx(0.9, abs=1e-3)


def test_pictures_show_goals_at_their_times():
    plan = sg.plan(make_task(Position({"joint1": 0.9}, LATE)))
    assert [g.value for g in collect_goals(plan) if abs(g.time - LATE) < 1e-9] == [0.9]


def test_messages_name_the_time():
    transcription = Planner(
        make_task(Position({"joint1": 0.9}, LATE), Acceleration({"joint1": 1.0}, 0.213))
    ).transcription
    for name, time in (("goal 1: position at 0.537 s", "0.537"), ("goal 2: acceleration at 0.213 s", "0.213")):
        f = transcription.problem[name]
        assert when(transcription.steps, f, 0) == f"at t = {time} s"
    said = demand(transcription.steps, transcription.problem["goal 1: position at 0.537 s"], np.array([0.25]))
    assert said == "goal 1: joint 'joint1' is 0.25 rad off"


def test_velocities_between_points_that_no_rule_joins_are_refused():
    task = make_task(Velocity(0.0, LATE), collocation="none", dynamics=False)
    with pytest.raises(
        InputError, match=r"goal 1: there is no velocity at t = 0.537 s: no rule joins the points.*0.5 s"
    ):
        Planner(replace(task, costs=(Smoothness(1.0),)))


FILE = """
robot: rr
horizon: {steps: 100, dt: 0.01}
start: {position: [0.1, 0.2]}
goals:
  - {time: 0.5371, position: {joint1: 0.9}}
  - {time: end, position: [0.8, -0.4], velocity: 0}
costs: {effort: 1}
"""


def test_files_have_any_time(tmp_path):
    (tmp_path / "task.yaml").write_text(FILE)
    plan = sg.plan(read_task(tmp_path / "task.yaml"))
    assert plan.solved, plan
    assert plan.at(0.5371).q[0] == pytest.approx(0.9, abs=1e-7)
