"""Words for demands that do not hold have the numbers of kinematics, and name joints, frames and units."""

from __future__ import annotations

import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.goals import Direction, Point, Pose, Position, Velocity
from screwgraph.motion.planning.limits import VelocityLimit
from screwgraph.motion.planning.search.violation_report import demand
from screwgraph.spatial.exponential import exp3

Q = np.array([0.3, -0.5, 0.2, 0.1, 0.4, 0.2])
SHIFT = np.array([0.02, -0.03, 0.06])
"""As long as 0.07 (m)."""


@pytest.fixture(scope="module")
def arm():
    """A PUMA 560, its last link, and where that is at Q."""
    robot = sg.load("puma560")
    link = robot.links[-1].name
    return robot, link, np.asarray(sg.forward_kinematics(robot, [link])(Q)[0])


def describe(robot, item, at, name):
    """Return the words for an item of a task, its first unknown at a value."""
    kind = {"limits": (item,)} if name.startswith("limit") else {"goals": (item,)}
    steps = Planner(Task(robot, horizon(2, dt=0.1), start=robot.neutral(), dynamics=False, **kind)).transcription
    factors = next(f for f in steps.problem.factors if f.name.startswith(name))
    residual = np.asarray(factors.template(at, **factors.shared), dtype=float)
    return demand(steps.steps, factors, residual)


def numbers(words):
    return [
        float(number) for number in re.findall(r"(?<![\w'])-?\d+\.?\d*(?:e-?\d+)?(?![\w'])", words.partition(": ")[2])
    ]


def test_poses_are_off_by_a_distance_and_an_angle(arm):
    robot, link, T = arm
    goal = T.copy()
    goal[:3, :3], goal[:3, 3] = exp3(np.array([0.0, 0.3, 0.4])) @ T[:3, :3], T[:3, 3] + SHIFT
    words = describe(robot, Pose(link, goal), Q, "goal 1")
    assert f"frame {link!r}" in words
    assert "rad from its pose" in words
    assert numbers(words) == pytest.approx([0.07, 0.5], rel=5e-3)  # three digits are said


def test_points_are_off_by_a_distance(arm):
    robot, link, T = arm
    words = describe(robot, Point(link, T[:3, 3] + SHIFT), Q, "goal 1")
    assert f"frame {link!r}" in words
    assert "m from its point" in words
    assert numbers(words) == pytest.approx([0.07], rel=5e-3)


@pytest.mark.parametrize("within", [0.0, 0.1])
def test_directions_are_off_by_an_angle(arm, within):
    robot, link, T = arm
    across = np.cross(T[:3, 2], [1.0, 0.0, 0.0])
    at = exp3(0.25 * across / np.linalg.norm(across)) @ T[:3, 2]
    words = describe(robot, Direction(link, at=at, axis=[0.0, 0.0, 1.0], within=within), Q, "goal 1")
    assert f"axis of frame {link!r}" in words
    assert "rad from its direction" in words
    assert numbers(words) == pytest.approx([0.25, within] if within else [0.25], rel=5e-3)


def test_joints_are_off_by_their_own_units(arm):
    robot = arm[0]
    wanted = Q + np.array([0.0, 0.0, 0.0, 0.0, -0.031, 0.02])
    words = describe(robot, Position(wanted), Q, "goal 1")
    assert words == f"goal 1: joint {robot.joints[4].name!r} is 0.031 rad off"
    words = describe(robot, Velocity(np.array([0.0, 0.4, 0.0, 0.0, 0.0, 0.0])), np.zeros(6), "goal 1")
    assert words == f"goal 1: joint {robot.joints[1].name!r} is 0.4 rad/s off"


def test_limits_are_exceeded_by_the_worst_joint(arm):
    robot = arm[0]
    words = describe(robot, VelocityLimit(1.0), np.array([0.0, 0.5, -1.25, 1.1, 0.0, 0.0]), "limit 1")
    assert words == f"limit 1: velocity of joint {robot.joints[2].name!r} exceeds its limit by 0.25 rad/s"
