"""Capsules of one robot: pairs that can touch, and controllers that keep them apart."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import ControlLoop, LinkCapsule, PostureTask, SelfCollisionBarrier
from tests.motion.control.robots import arm

BASE, TURN = LinkCapsule("base", 0.1), LinkCapsule("turn_link", 0.05)
LIFT = LinkCapsule("lift_link", 0.05, end=(0.1, 0.0, 0.0))
BEND = LinkCapsule("bend_link", 0.04, end=(0.25, 0.0, 0.0))


def test_pairs_are_those_that_can_touch():
    """The upper arm's capsule is too short to reach the base, its lower arm is not; neighbours do not count."""
    barrier = SelfCollisionBarrier((BASE, TURN, LIFT, BEND))
    assert barrier.find_pairs(arm()) == [(BASE, BEND), (TURN, BEND)]
    with pytest.raises(InputError, match="no pair of the capsules can touch"):
        SelfCollisionBarrier((BASE, TURN, LIFT)).references(arm())


def test_a_pair_that_no_random_position_shows_is_found():
    """Two small balls meet on a set of positions of measure nearly zero."""
    small = LinkCapsule("base", 2e-3, start=(0.35, 0.0, 0.2)), LinkCapsule("tip", 2e-3)
    assert SelfCollisionBarrier(small).find_pairs(arm()) == [small]


def test_an_arm_does_not_reach_through_itself():
    robot, q0 = arm(), np.array([0.0, -1.2, 0.5])
    barrier = SelfCollisionBarrier((BASE, TURN, LIFT, BEND), rate=20.0)
    elbow = np.array([0.0, -0.6, 2.0])  # the lower arm folds back through the shoulder
    apart = np.array(barrier.values(robot, elbow, np.zeros(3)))
    goal = {"posture": np.array([0.0, 1.2, 2.0])}
    loop = ControlLoop(robot, [PostureTask(stiffness=60.0)], barriers=[barrier], q0=q0, references=goal)
    motion = sg.simulate(robot, q0, time=1.0, dt=1e-3, controller=loop)
    nearest = min(min(barrier.values(robot, q, np.zeros(3))) for q in motion.q[::100])
    free = np.array(barrier.values(robot, goal["posture"], np.zeros(3)))
    assert np.isfinite(apart).all()
    assert free.min() < -0.01
    assert nearest > -1e-3
