"""A robot on another one: the dynamics of both, all names, and what ties the joints."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import (
    Constant,
    Coupling,
    LoopMotor,
    Operation,
    Position,
    Power,
    Transmission,
    attach,
    prefix_names,
    with_floating_base,
    without_loops,
)
from screwgraph.spatial import from_xyz_rpy
from tests.oracle import oracle

MOUNT = from_xyz_rpy(np.array([0.1, -0.2, 0.3]), np.array([0.4, 0.5, -0.6]))


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_dynamics_are_those_of_both(base):
    """Beside Pinocchio; the hand's links stay where its own kinematics puts them, seen from the mount."""
    arm, hand = sg.load("rrr", base=base), sg.load("five_bar")
    whole = attach(arm, hand, arm.links[-1].name, T=MOUNT, prefix="hand/")
    opened, rng = without_loops(whole), np.random.default_rng(0)
    q, qd, qdd = opened.random(rng), rng.standard_normal(opened.nv), rng.standard_normal(opened.nv)
    theirs = oracle(opened).inverse_dynamics(q, qd, qdd)
    assert sg.inverse_dynamics(opened)(q, qd, qdd) == pytest.approx(theirs, rel=1e-10, abs=1e-10)
    at_arm, at_hand = q[: arm.nq], q[arm.nq :]
    tip = hand.links[-1].name
    on_arm = sg.forward_kinematics(arm, arm.links[-1].name)(at_arm) @ MOUNT
    expected = on_arm @ sg.forward_kinematics(hand, tip)(at_hand)
    assert sg.forward_kinematics(whole, f"hand/{tip}")(q) == pytest.approx(expected, abs=1e-12)
    assert whole.mass == pytest.approx(arm.mass + hand.mass)
    assert whole.independent_joints == (*arm.joint_names, *(f"hand/{name}" for name in hand.independent_joints))


def test_two_hands_of_one_kind_close_their_loops():
    both = sg.load("rr")
    for side in ("left_", "right_"):
        both = attach(both, sg.load("four_bar_linkage"), "link2", prefix=side)
    assert both.name == "rr"
    assert len(both.loops) == 2
    q = both.close_loops(both.neutral() + 0.1)
    assert np.isfinite(sg.forward_dynamics(both)(q, np.zeros(both.nv), np.ones(both.nv))).all()


def test_all_names_of_parts_get_the_prefix():
    robot = sg.load("five_bar")
    a, b = robot.joint_names[:2]
    curve = Operation("+", (Power(Position(a), 2), Operation("sin", (Position(b),))))
    robot = replace(
        robot,
        couplings=(Coupling("cam", {b: 1.0}, 0.2, Operation("-", (curve, Constant(1.0)))),),
        actuators=(Transmission(Coupling("gear", {a: 9.0})), LoopMotor("tip", robot.loops[0].name)),
    )
    found = prefix_names(robot, "x_")
    (cam,), (gear, tip) = found.couplings, found.actuators
    assert cam.text() == f"x_{b} + x_{a}**2 + sin(x_{b}) - 1 = 0.20000000000000001"
    assert isinstance(gear, Transmission)
    assert isinstance(tip, LoopMotor)
    assert gear.displacement.terms == {f"x_{a}": 9.0}
    assert (gear.name, tip.name, tip.loop) == ("x_gear", "x_tip", f"x_{robot.loops[0].name}")
    assert found.joint_names == tuple(f"x_{name}" for name in robot.joint_names)
    assert found.loops[0].predecessor == f"x_{robot.loops[0].predecessor}"


def test_a_carried_robot_may_fly():
    whole = attach(sg.load("rr"), with_floating_base(sg.load("rrr")), "link2", prefix="free_")
    assert whole.nv == 2 + 6 + 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    {
        "same names": (("rr", "link2", {}), "both robots have a link or frame called 'base'.*prefix"),
        "no frame": (("rr", "lonk2", {"prefix": "x"}), "no frame is called 'lonk2'"),
        "no pose": (("rr", "link2", {"prefix": "x", "T": np.zeros((4, 4))}), "T is not a pose"),
        "no matrix": (("rr", "link2", {"prefix": "x", "T": np.eye(3)}), "T is not a pose"),
    }.values(),
)
def test_what_cannot_be_joined_is_told(arguments, message):
    other, frame, options = arguments
    with pytest.raises(sg.InputError, match=message):
        attach(sg.load("rr"), sg.load(other), frame, **options)


def test_robots_of_a_list_have_their_names():
    arm, other = sg.load("rr"), sg.load("rrr")
    found = sg.world([arm, other, arm])
    assert found.joint_names == sg.world({arm.name: arm, other.name: other, f"{arm.name}_2": arm}).joint_names
    q, parts = np.arange(1.0, 8.0), [(arm, slice(2)), (other, slice(2, 5)), (arm, slice(5, 7))]
    own = [sg.bias_forces(robot)(q[at], q[at]) for robot, at in parts]
    np.testing.assert_allclose(sg.bias_forces(found)(q, q), np.concatenate(own), atol=1e-12)
