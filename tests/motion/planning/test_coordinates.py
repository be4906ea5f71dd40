"""Coordinates of planar, floating and ball joints, one by one: starts, goals, what is actuated."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.costs import Acceleration, Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.goals.position import complete_position
from screwgraph.motion.planning.limits import EffortLimit
from screwgraph.motion.planning.models import set_coordinates

ROBOT = """
gravity: [0, 0, 0]
bodies:
  - {{link: body, joint: base, type: {base}, mass: 2, com: [0.1, 0, 0.02], inertia: [0.02, 0.05, 0.06]}}
  - {{link: arm, parent: body, joint: j1, axis: y, at: [0.2, 0, 0], mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.03]}}
"""  # noqa: E501
SIZES = {"planar": 3, "floating": 6, "spherical": 3}


def load(base):
    return sg.load(ROBOT.format(base=base))


def every(base):
    return (*(f"base[{i}]" for i in range(SIZES[base])), "j1")


def task(base, start, goal, **fields):
    goals = (Position(goal), Velocity(0.0))
    options = {"costs": (Acceleration(1.0),), "actuated": every(base), **fields}
    return Task(load(base), horizon(5, duration=0.5), start=start, goals=goals, **options)


def values(base, q):
    """The coordinates of a base by SciPy: rotation vector, then place."""
    if base == "planar":
        return q[:3]
    turn = Rotation.from_quat(q[3:7] if base == "floating" else q[:4]).as_rotvec()
    return np.append(turn, q[:3]) if base == "floating" else turn


@pytest.mark.parametrize("base", SIZES)
def test_starts_and_goals_are_on_single_coordinates(base):
    """What is named begins and ends at its values, whatever the others do; a start leaves these neutral."""
    last, first = SIZES[base] - 1, {"base[1]": 0.3, "j1": 0.1}
    plan = sg.plan(task(base, first, {f"base[{last}]": -0.4, "base[0]": 0.2}))
    assert plan.converged, plan
    expected = np.zeros(SIZES[base])
    expected[1] = 0.3
    assert values(base, plan.q[0]) == pytest.approx(expected, abs=1e-9)
    assert values(base, plan.q[-1])[[last, 0]] == pytest.approx([-0.4, 0.2], abs=1e-6)
    assert plan.qd[-1] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("base", SIZES)
def test_all_coordinates_one_by_one_are_the_whole_joint(base):
    robot, wanted = load(base), np.array([0.4, -0.3, 0.2, 1.0, -2.0, 3.0])[: SIZES[base]]
    q, names = complete_position(robot, {f"base[{i}]": x for i, x in enumerate(wanted)} | {"j1": 0.5})
    assert values(base, q) == pytest.approx(wanted, abs=1e-12)
    assert set(names) == {"base", "j1"}
    assert complete_position(robot, {"base": q[:-1], "j1": 0.5})[0] == pytest.approx(q)


def test_values_of_some_coordinates_leave_the_others():
    robot, rng = load("floating"), np.random.default_rng(0)
    for _ in range(10):
        q = robot.manifold.random(rng)
        before = values("floating", q)
        after = values("floating", set_coordinates(robot, q, {"base[1]": 0.1, "base[5]": 7.0}))
        assert after == pytest.approx([before[0], 0.1, *before[2:5], 7.0], abs=1e-12)


def test_torques_act_along_the_coordinates_that_are_named():
    plan = sg.plan(task("planar", {"base[2]": 0.2}, {"base[2]": 0.5}, actuated=("base[2]", "j1")))
    assert plan.converged
    assert plan.efforts_of == ("base[2]", "j1")
    assert not plan.tau[:, :2].any()
    assert np.abs(plan.tau[:, 2]).max() > 0.1


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ({"base[9]": 1.0}, "'base\\[9\\]': the coordinates of joint 'base' are base\\[0\\] to base\\[5\\]"),
        ({"base[-1]": 1.0}, "there is no coordinate 'base\\[-1\\]'"),
        ({"base[x]": 1.0}, "there is no coordinate 'base\\[x\\]'"),
        ({"j1[0]": 1.0}, "are one, 'j1'"),
        ({"bse[2]": 1.0}, "did you mean base"),
        ({"base[2]": [1.0, 2.0]}, "'base\\[2\\]' is one coordinate, not 2"),
        ({"base[2]": np.nan}, "not finite"),
        ({"base[2]": "much"}, "they are not numbers"),
        ({"base": np.eye(7)[6], "base[2]": 0.1}, "'base' and 'base\\[2\\]' name the same coordinate"),
    ],
)  # fmt: skip
def test_coordinates_that_are_none_are_refused_by_name(start, said):
    with pytest.raises(InputError, match=f"start: .*{said}"):
        sg.plan(task("floating", start, {"j1": 0.1}))


@pytest.mark.parametrize(
    ("speeds", "said"),
    [
        ({"base[1]": 0.3, "base": 0.0}, "'base\\[1\\]' and 'base' name the same coordinate"),
        ({"base[1]": np.inf}, "a velocity is not finite"),
        ({"base": [0.1, 0.2]}, "joint 'base' has 3 coordinates"),
        ({"j1": "fast"}, "the velocity of 'j1': 'fast': they are not numbers"),
    ],
)
def test_velocities_that_are_none_are_refused(speeds, said):
    with pytest.raises(InputError, match=f"start: .*{said}"):
        sg.plan(task("planar", {}, {"j1": 0.1}, start_velocity=speeds))


@pytest.mark.parametrize("base", SIZES)
def test_a_step_begins_at_coordinates_that_were_measured(base):
    """The others are as planned; a quaternion is normalised; what is not finite is as planned, and said."""
    planner = Planner(task(base, {}, {"base[0]": 0.5, "j1": 0.2}))
    planned = planner.solve()
    ahead = planned.transcription.steps.per_step
    plan = planner.step(q={"base[1]": 0.02}, qd={"j1": 0.7})
    expected = set_coordinates(load(base), planned.q[ahead], {"base[1]": 0.02})
    assert plan.converged
    assert plan.q[0] == pytest.approx(expected, abs=1e-9)
    assert plan.qd[0] == pytest.approx([*planned.qd[ahead, :-1], 0.7], abs=1e-9)
    doubtful = planner.step(q={"base[1]": np.nan, "j1": 0.1})
    assert doubtful.relaxed == ("the measured position is not finite: the planned one is taken",)
    assert doubtful.q[0, -1] == pytest.approx(0.1, abs=1e-9)


def test_names_of_joints_may_have_brackets():
    """A robot of two platforms whose joints are numbered; the second one has a thruster and limits in its file."""
    robot = sg.load(
        "gravity: [0, 0, 0]\nbodies:\n"
        + "".join(
            f"  - {{link: b{i}, joint: 'base[{i}]', type: planar, axis: z, mass: {i + 1}, inertia: [0.1, 0.1, 0.1]}}\n"
            for i in range(2)
        )
    )
    q = complete_position(robot, {"base[1][0]": 0.3, "base[0][2]": -0.2})[0]
    assert q == pytest.approx([0.0, 0.0, -0.2, 0.3, 0.0, 0.0])
    goals, limits = (Position({"base[1][0]": 0.5}), Velocity(0.0)), (EffortLimit(50.0),)
    driven = ("base[1][0]", "base[0]")
    plan = sg.plan(
        Task(robot, horizon(5, duration=0.5), q, goals=goals, costs=(Effort(),), limits=limits, actuated=driven)
    )
    assert plan.converged, plan
    assert plan.efforts_of == ("base[0][0]", "base[0][1]", "base[0][2]", "base[1][0]")
    assert not plan.tau[:, 4:].any()
    with pytest.raises(InputError, match=r"the coordinates of joint 'base\[1\]' are base\[1\]\[0\] to base\[1\]\[2\]"):
        complete_position(robot, {"base[1][7]": 0.1})


def test_goals_of_one_time_do_not_contradict_each_other():
    twice = task("planar", {"j1": 0.0}, {"base[2]": 0.5})
    with pytest.raises(InputError, match=r"joint 'base\[2\]' must have the position 0.6"):
        sg.plan(replace(twice, goals=(*twice.goals, Position({"base[2]": 0.6}))))


def test_files_name_coordinates_and_the_line_of_those_that_are_none(tmp_path):
    (tmp_path / "robot.yaml").write_text(ROBOT.format(base="floating"))
    text = (
        "robot: robot.yaml\nhorizon: {steps: 5, duration: 0.5}\nactuated: [base, j1]\n"
        "start: {position: {'base[2]': 0.3}, velocity: {'base[5]': 0.1}}\ngoals:\n"
        "  - {position: {'base[5]': 0.2}, velocity: {'base[2]': 0.0}}\ncosts: {acceleration: 1}\n"
    )
    file = tmp_path / "task.yaml"
    file.write_text(text)
    plan = sg.plan(file)
    assert plan.converged
    assert plan.qd[0] == pytest.approx([0.0] * 5 + [0.1, 0.0])
    assert values("floating", plan.q[-1])[5] == pytest.approx(0.2)
    file.write_text(text.replace("[base, j1]", "['base[6]', j1]"))
    with pytest.raises(ModelError, match=r"task.yaml:3: .*there is no coordinate 'base\[6\]'"):
        sg.plan(file)
