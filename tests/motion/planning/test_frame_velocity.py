"""Goals for velocities of frames, beside Pinocchio."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.costs import Acceleration
from screwgraph.motion.planning.goals import FrameVelocity, Point
from screwgraph.motion.planning.task_files import read_task
from tests.oracle import oracle

V = np.array([0.2, -0.1, 0.3])


def throw(robot, *goals):
    common = {"start": np.full(6, 0.4), "costs": (Acceleration(),), "dynamics": False, "collocation": "trapezoidal"}
    return Task(robot, horizon(10, dt=0.05), goals=goals, **common)


def velocity(robot, q, qd, frame, step=1e-6):
    """The frame's angular velocity and its origin's, in base axes, by central differences of Pinocchio's poses."""
    ahead, here, behind = (oracle(robot).pose(q + s * qd, frame) for s in (step, 0.0, -step))
    rate = (ahead - behind) / (2 * step)
    W = rate[:3, :3] @ here[:3, :3].T
    return np.array([W[2, 1], W[0, 2], W[1, 0]]), rate[:3, 3]


def test_a_tool_passes_a_point_at_a_velocity_while_it_does_not_turn():
    robot = sg.load("puma560")
    tool = robot.links[-1].name
    at = oracle(robot).pose(np.full(6, 0.6), tool)[:3, 3]
    plan = sg.plan(throw(robot, Point(tool, at, 0.25), FrameVelocity(tool, V, (0.0, 0.0, 0.0), 0.25)))
    assert plan.solved, plan
    turning, moving = velocity(robot, plan.q[5], plan.qd[5], tool)
    assert moving == pytest.approx(V, abs=1e-6)
    assert turning == pytest.approx(0.0, abs=1e-6)
    assert oracle(robot).pose(plan.q[5], tool)[:3, 3] == pytest.approx(at, abs=1e-6)


def test_it_is_read_from_files_and_checked(tmp_path):
    file = tmp_path / "task.yaml"
    text = "robot: puma560\nhorizon: {steps: 2, dt: 0.1}\ngoals:\n  - {time: end, frame_velocity: %s}\n"
    file.write_text(text % "{frame: link6, linear: [0.2, 0, 0]}")
    (goal,) = read_task(file).goals
    assert (goal.frame, list(goal.linear), goal.angular) == ("link6", [0.2, 0.0, 0.0], None)
    file.write_text(text % "{frame: link6}")
    with pytest.raises(ModelError, match=r"task.yaml:4.*a linear or an angular velocity"):
        read_task(file)
    with pytest.raises(InputError, match=r"the linear velocity of frame 'link6' is 1.0.*give three numbers"):
        sg.plan(throw(sg.load("puma560"), FrameVelocity("link6", 1.0)))


def test_an_arm_that_is_stretched_out_bends_to_move_its_tool_along_itself():
    """Where it begins, no motion of its joints does so to first order."""
    robot = sg.load("rrr")
    goal = FrameVelocity("link3", (1.0, 0.0, 0.0))
    task = Task(robot, horizon(10, dt=0.1), start=np.zeros(3), goals=(goal,), costs=(Acceleration(),), dynamics=False)
    plan = sg.plan(task)
    assert plan.solved, plan
    assert velocity(robot, plan.q[-1], plan.qd[-1], "link3")[1] == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
