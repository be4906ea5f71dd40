"""Redundant actuation: efforts are those of a weighted pseudo-inverse, and cause just the motion that was asked for."""

import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import constraint_jacobian, without_loops
from tests.mechanics.dynamics.test_closed_dynamics import CHAINS, closed_state, null_space

BASE_JOINTS = ("joint1", "joint3")


def pseudo_inverse_efforts(robot, q, qd, qdd, names, weights=None):
    """The efforts of least sum weight tau^2 with N' tau = N' (M qdd + h), N a basis of the motions that loops allow."""
    N, tree = null_space(constraint_jacobian(robot, q)), without_loops(robot)
    needed = N.T @ (sg.mass_matrix(tree)(q) @ qdd + sg.bias_forces(tree)(q, qd))
    places = [i for name in names for i in range(robot.v_slices[name].start, robot.v_slices[name].stop)]
    scale = np.array([(weights or {}).get(n, 1.0) for n in names for _ in range(robot.joint(n).type.nv)]) ** -0.5
    tau = np.zeros(robot.nv)
    tau[places] = scale * (np.linalg.pinv(N[places].T * scale) @ needed)
    return tau


@pytest.mark.parametrize("ordering", ["auto", "embedding", "kkt", "ancestor"])
@pytest.mark.parametrize("names", [BASE_JOINTS, ("joint1", "joint2", "joint3"), ("joint2", "joint3")])
@pytest.mark.sampled(4)
def test_a_four_bars_smallest_torques_are_the_pseudo_inverses(names, ordering):
    robot, q, qd, tau = closed_state("four_bar_linkage")
    qdd = sg.forward_dynamics(robot)(q, qd, tau)
    found = sg.inverse_dynamics(robot, actuated=names, ordering=ordering)(q, qd, qdd)
    expected = pseudo_inverse_efforts(robot, q, qd, qdd, names)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("name", [name for name in CHAINS if name != "stewart_gough"])
@pytest.mark.sampled(4)
def test_smallest_efforts_of_all_joints_cause_the_motion(name):
    robot, q, qd, tau = closed_state(name)
    qdd = sg.forward_dynamics(robot)(q, qd, tau)
    weights = {joint: 0.5 + i for i, joint in enumerate(robot.joint_names[1:])}
    found = sg.inverse_dynamics(robot, actuated=robot.joint_names, weights=weights)(q, qd, qdd)
    expected = pseudo_inverse_efforts(robot, q, qd, qdd, robot.joint_names, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())
    np.testing.assert_allclose(sg.forward_dynamics(robot)(q, qd, found), qdd, rtol=1e-8, atol=1e-8 * np.abs(qdd).max())


def test_independent_joints_alone_have_the_efforts_that_they_have_anyway():
    robot, q, qd, tau = closed_state("five_bar")
    qdd = sg.forward_dynamics(robot)(q, qd, tau)
    usual, named = sg.inverse_dynamics(robot), sg.inverse_dynamics(robot, actuated=robot.independent_joints)
    np.testing.assert_allclose(named(q, qd, qdd), usual(q, qd, qdd), rtol=1e-13)
    assert named.operations.total == usual.operations.total


def test_all_joints_of_a_tree_are_driven_as_usual():
    robot, rng = sg.load("rrr"), np.random.default_rng(0)
    state = rng.standard_normal((3, 3))
    found = sg.inverse_dynamics(robot, actuated=robot.joint_names)(*state)
    np.testing.assert_allclose(found, sg.inverse_dynamics(robot)(*state), rtol=1e-13)


def test_joints_that_cannot_drive_the_robot_are_refused_by_name():
    with pytest.raises(
        sg.InputError, match=r"actuated joints 'joint1' cannot drive .* 1 of its 2 degrees of freedom"
    ) as error:
        sg.inverse_dynamics(sg.load("five_bar"), actuated=["joint1"])
    assert "name one of these joints" in str(error.value)
    with pytest.raises(sg.InputError, match=r"cannot drive all motions of robot 'rrr'.*'joint3'"):
        sg.inverse_dynamics(sg.load("rrr"), actuated=["joint1", "joint2"])


@pytest.mark.parametrize(
    ("actuated", "weights", "said"),
    [
        (["no_such"], None, "no joint"),
        (BASE_JOINTS, {"joint2": 1.0}, "weights name 'joint2', which is not among the actuated joints"),
        (BASE_JOINTS, {"joint1": -1.0}, "the weight of joint 'joint1', -1.0, is not a positive, finite number"),
        (None, {"joint1": 1.0}, "weights without actuated joints"),
        *((BASE_JOINTS, {BASE_JOINTS[0]: w}, "is not a positive, finite number") for w in (0.0, np.inf)),
    ],
)
def test_bad_choices_are_one_line(actuated, weights, said):
    with pytest.raises(sg.InputError, match=said):
        sg.inverse_dynamics(sg.load("four_bar_linkage"), actuated=actuated, weights=weights)


def test_torques_shrink_where_their_weight_grows():
    robot, q, qd, tau = closed_state("four_bar_linkage")
    qdd = sg.forward_dynamics(robot)(q, qd, tau)
    efforts = [
        sg.inverse_dynamics(robot, actuated=BASE_JOINTS, weights={"joint1": weight})(q, qd, qdd)[0]
        for weight in (0.1, 1.0, 10.0)
    ]
    assert np.all(np.diff(np.abs(efforts)) < 0.0)


@pytest.mark.parametrize("count", [6, 7])
def test_a_refusal_names_six_joints_and_tells_of_more(count):
    robot = sg.load("a1")
    driving = list(robot.joint_names[:count])
    named = ", ".join(map(repr, driving[:6])) + (", ..." if count > 6 else "")
    with pytest.raises(sg.InputError, match=f"the actuated joints {re.escape(named)} cannot drive all motions"):
        sg.inverse_dynamics(robot, actuated=driving)
