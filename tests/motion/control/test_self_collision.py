"""Capsules of one robot: pairs that can touch, and controllers that keep them apart."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import ControlLoop, LinkCapsule, PostureTask, SelfCollisionBarrier
from tests.motion.control.robots import arm, arm_text

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


def gripping_arm(mimic: str = "") -> sg.Robot:
    """Return the arm with two fingers; of the second one's joint, `mimic` says what it mimics."""
    fingers = "".join(
        f'<link name="{name}"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" '
        f'iyz="0"/></inertial></link><joint name="{name}_joint" type="prismatic"><parent link="tip"/>'
        f'<child link="{name}"/><axis xyz="0 {side} 0"/><limit lower="0" upper="0.04" effort="10" velocity="1"/>'
        f"{tied}</joint>"
        for name, side, tied in (("one", 1, ""), ("other", -1, mimic))
    )
    return sg.load(arm_text().replace("</robot>", f"{fingers}</robot>"))


def test_pairs_of_a_robot_with_a_coupling_are_those_of_the_robot_without():
    """A finger that mimics another one changes nothing of what the arm can touch."""
    capsules = BASE, TURN, LIFT, BEND, LinkCapsule("one", 0.01, start=(0.0, 0.03, 0.0))
    open_pairs = SelfCollisionBarrier(capsules).find_pairs(gripping_arm())
    tied = gripping_arm('<mimic joint="one_joint"/>')
    assert tied.is_closed
    assert {(BASE, BEND), (TURN, BEND), (BASE, capsules[-1])} <= set(open_pairs)
    assert SelfCollisionBarrier(capsules).find_pairs(tied) == open_pairs
    small = LinkCapsule("base", 2e-3, start=(0.35, 0.0, 0.2)), LinkCapsule("tip", 2e-3)
    assert SelfCollisionBarrier(small).find_pairs(tied) == [small]


def test_a_pair_of_a_closed_chain_that_always_touches_does_not_count():
    """A bar of the loop holds two points of other links at its own length, which could be apart were the loop open."""
    bar = sg.load("five_bar")
    (loop,) = bar.loops
    (joint,) = (joint for joint in bar.joints if joint.child == loop.successor)
    (near, far), length = (T[:3, 3] for T in (joint.origin, loop.T_pf)), float(np.linalg.norm(loop.T_sf[:3, 3]))
    for radius, count in ((0.45 * length, 1), (0.55 * length, 0)):
        ends = LinkCapsule(joint.parent, radius, tuple(near)), LinkCapsule(loop.predecessor, radius, tuple(far))
        barrier = SelfCollisionBarrier((*ends, LinkCapsule("link3", 0.3), LinkCapsule("link1", 0.3)))
        assert (ends in barrier.find_pairs(bar)) == (count > 0)
