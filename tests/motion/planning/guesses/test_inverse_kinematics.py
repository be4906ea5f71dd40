"""Positions at which frames reach their goals, of robots that stand beyond the limits of their file."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning.goals import Direction, Point, Pose
from screwgraph.motion.planning.guesses.inverse_kinematics import find_reaching_position
from screwgraph.motion.planning.mechanics import Mechanics

NEAR, GOAL = np.array([0.1, 0.3]), np.array([0.2, 0.5])


def mechanics():
    """Two rods in a plane, whose elbow has to be bent backwards by more than 1 rad."""
    robot = sg.load("rr")
    first, elbow = robot.joints
    limited = replace(elbow, limits=replace(elbow.limits, lower=-3.0, upper=-1.0))
    return Mechanics(replace(robot, joints=(first, limited)))


def test_a_guess_may_leave_limits_that_the_task_does_not_ask_for():
    """A pose of the tool belongs to one position, which is beyond the limits."""
    found = find_reaching_position(mechanics(), [Pose("tool", of=GOAL)], NEAR, is_limited=False)
    assert found == pytest.approx(GOAL, abs=1e-2)


def test_limits_that_the_task_asks_for_are_kept():
    assert find_reaching_position(mechanics(), [Pose("tool", of=GOAL)], NEAR, is_limited=True) is None


def test_goals_of_one_time_are_reached_together():
    """A tool at a point that points in a direction: its turn about that is free."""
    robot, tip = sg.load("panda"), "panda_hand_tcp"
    T = sg.forward_kinematics(robot, tip)(np.array([0.3, 0.5, -0.2, -1.8, 0.4, 2.0, 0.6]))
    goals, near = [Point(tip, T[:3, 3]), Direction(tip, 2.0 * T[:3, 2])], np.array([0, 0, 0, -1.5, 0, 1.5, 0.8])
    found = find_reaching_position(Mechanics(robot), goals, near, is_limited=True)
    assert found is not None
    seen = sg.forward_kinematics(robot, tip)(found)
    np.testing.assert_allclose(seen[:3, 2:], T[:3, 2:], atol=1e-2)
    assert np.abs(seen - T).max() > 0.1
