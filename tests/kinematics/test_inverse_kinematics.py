"""Positions that inverse kinematics finds, seen by Pinocchio; and what it says of targets that cannot be met."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.kinematics.targets import CenterOfMass, Orientation, Point, Pose, Posture
from tests.oracle import oracle, to_pin_q

TIP = {"panda": "panda_hand_tcp", "ur5": "tool0"}


def pose_of(robot, q, frame):
    """Return the pose of a frame as Pinocchio sees it."""
    own = robot.frame(frame)
    return oracle(robot).pose(q, own.link) @ own.T_lf


def reachable(robot, frame, count, seed=0):
    """Return positions within limits, and the poses of a frame there."""
    q = sg.random(robot, (count,), seed=seed)
    return q, sg.forward_kinematics(robot, frame)(q)


@pytest.mark.parametrize("name", TIP)
def test_random_reachable_poses_are_reached_within_limits(name):
    robot = sg.load(name)
    _, T = reachable(robot, TIP[name], 2000)
    found = sg.inverse_kinematics(robot, TIP[name])(T)
    assert found.reached.mean() >= 0.999
    limits = [joint.limits for joint in robot.joints]
    assert np.all(found.q >= [x.lower for x in limits])
    assert np.all(found.q <= [x.upper for x in limits])
    for q, wanted in zip(found.q[found.reached][:50], T[found.reached], strict=False):
        np.testing.assert_allclose(pose_of(robot, q, TIP[name]), wanted, atol=2e-8)
    assert found.errors[found.reached].max() < 1.5e-8
