"""The closed robots of the zoo: closed at zero, moving as their builders meant, with the dimensions that they claim."""

import numpy as np
import pytest

from screwgraph.model.formats import load
from screwgraph.model.robot import closed_states, constraint_residual, link_poses
from tests.model.formats.helpers import close, mass_matrix
from tests.model.zoo.test_zoo import CLOSED
from tests.reference import reference

FREEDOMS = {"five_bar": 2, "four_bar_linkage": 1, "stewart_gough": 6, "belt_leg": 3, "differential": 2}


@pytest.fixture(params=CLOSED)
def robot(request):
    return load(request.param)


def test_each_is_closed_at_zero(robot):
    assert np.abs(constraint_residual(robot, robot.neutral())).max() < 1e-15


@pytest.mark.sampled(3)
def test_each_has_its_freedoms_and_drives_them(robot):
    assert robot.mobility.freedom == FREEDOMS[robot.name] == len(robot.independent_joints)
    assert robot.mobility.singular == 0
    assert robot.independent is not None
    chosen = robot.with_independent_joints(None)  # a platform may be independent in the place of its legs
    assert len(robot.independent) == sum(chosen.joint(name).type.nv for name in chosen.independent_joints)


def test_each_has_its_driven_joints_limited(robot):
    driven = {joint.name for joint in robot.joints if joint.limits.effort}
    assert driven
    assert robot.name == "differential" or driven == set(robot.independent_joints)


def test_each_closes_all_around(robot):
    for q in closed_states(robot, 5, seed=4):
        assert np.abs(constraint_residual(robot, q)).max() < 1e-12


def test_the_hands_of_the_five_bar_meet_at_the_end_effector():
    robot = load("five_bar")
    q = robot.complete([0.3, -0.2])
    at = link_poses(robot, q)
    end = at["link2"] @ robot.frame("end_effector").T_lf
    other = at["link4"] @ robot.loops[0].T_sf
    close(end[:3, 3], other[:3, 3], 1e-12)
    left, right = (at[name][:3, 3] for name in ("link2", "link4"))
    close([np.linalg.norm(end[:3, 3] - elbow) for elbow in (left, right)], [0.75, 0.75])
    assert end[1, 3] > max(left[1], right[1])


def test_the_five_bar_is_symmetric_at_zero():
    robot = load("five_bar")
    at = link_poses(robot, robot.neutral())
    close(at["link2"][:3, 3] * [-1, 1, 1], at["link4"][:3, 3])
    close((at["link2"] @ robot.frame("end_effector").T_lf)[0, 3], 0.0, 1e-15)


def test_the_four_bar_is_that_of_the_reference():
    """Its angles are counted from the crank pointing up."""
    expected = reference("general_four_bar")
    robot = load("four_bar_linkage")
    zero = [np.pi / 2, *(np.arctan2(T[1, 0], T[0, 0]) for T in (joint.origin for joint in robot.joints[1:]))]
    q = robot.complete([expected["q"][0] - zero[0]])
    close(q + zero, expected["q"], 1e-11)
    G = robot.complete_velocity(q, [1.0])
    close(G, expected["G"], 1e-11)
    close(G @ mass_matrix(robot, q) @ G, expected["H"], 1e-11)


def test_the_platform_rises_when_all_legs_grow():
    robot = load("stewart_gough")
    legs = np.array([0.05] * 6)
    platform = link_poses(robot, robot.complete(legs))["platform"]
    close(platform[:3, :3], np.eye(3), 1e-11)
    close(platform[:2, 3], [0, 0], 1e-11)
    length = np.hypot(0.5, np.linalg.norm(0.25 * direction(np.pi / 3 - 0.2) - 0.4 * direction(0.2)))
    close(platform[2, 3], np.sqrt((length + 0.05) ** 2 - (length**2 - 0.5**2)), 1e-11)


def direction(angle):
    return np.array([np.cos(angle), np.sin(angle)])


def test_the_belt_holds_the_foot_against_the_thigh():
    """With the ankle's motor still, the foot keeps its attitude towards the thigh whatever the knee does."""
    robot = load("belt_leg")
    robot = robot.with_independent_joints(["hip", "knee", "ankle_motor"])
    at = link_poses(robot, robot.complete([0.2, 0.9, 0.0]))
    close(at["thigh"][:3, :3].T @ at["foot"][:3, :3], np.eye(3), 1e-12)
    q = robot.complete([0.2, 0.9, 0.0])
    assert q[robot.q_slices["knee_motor"]] == pytest.approx(8.1)


def test_the_differential_shares_the_speed_of_the_shaft():
    robot = load("differential")
    qd = dict(zip(robot.joint_names, robot.complete_velocity(robot.neutral(), [3.0, 5.0]), strict=True))
    assert qd["ring"] == pytest.approx(4.0)
    assert qd["drive"] == pytest.approx(16.0)
    assert qd["spider_pin"] == pytest.approx(-2.0)
