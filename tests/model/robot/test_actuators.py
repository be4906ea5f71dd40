"""Transmissions: power is kept, edits follow the joints, and what cannot be driven is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import (
    Coupling,
    LoopMotor,
    Operation,
    Position,
    Transmission,
    loop_pose,
    sort_robot,
    without_loops,
)

STEP = 1e-5


def tendon(name: str, joints: tuple[str, ...]) -> Transmission:
    """Return a displacement of sin(first) * second + 0.3 first."""
    product = Operation("*", (Operation("sin", (Position(joints[0]),)), Position(joints[1])))
    return Transmission(Coupling(name, {joints[0]: 0.3}, 0.0, product))


def test_a_displacements_lever_arms_are_its_derivatives():
    robot = sg.load("rrr")
    robot = replace(robot, actuators=(tendon("a", ("joint1", "joint3")),))
    q = robot.random(np.random.default_rng(0))
    B = robot.actuation_matrix(q)
    np.testing.assert_allclose(B[:, 0], [np.cos(q[0]) * q[2] + 0.3, 0.0, np.sin(q[0])], rtol=1e-15)


@pytest.mark.parametrize("name", ["five_bar", "four_bar_linkage"])
def test_a_motor_on_a_loop_joint_has_the_power_of_its_turning(name):
    """Of an effort of 1: B' qd, and the rate at which the loop joint's own frames turn, by differences."""
    robot = sg.load(name)
    loop = robot.loops[0]
    robot = replace(robot, actuators=(LoopMotor("m", loop.name),))
    q = robot.close_loops(robot.random(np.random.default_rng(1)))
    qd = robot.complete_velocity(q, np.arange(1.0, 1.0 + len(robot.independent_joints)))

    def turned(at: np.ndarray) -> np.ndarray:
        return loop.type.nearest(loop_pose(robot, loop, at))

    rate = (turned(q + STEP * qd) - turned(q - STEP * qd)) / (2.0 * STEP)
    np.testing.assert_allclose(robot.actuation_matrix(q).T @ qd, rate, rtol=1e-8)


def test_locked_joints_leave_what_still_moves():
    robot = sg.load("rrr")
    linear = Transmission(Coupling("b", {"joint1": 2.0}))
    robot = replace(robot, actuators=(tendon("a", ("joint1", "joint3")), linear))
    locked = sg.robot.lock(robot, {"joint1": 0.5})
    assert [actuator.name for actuator in locked.actuators] == ["a"]
    q = np.array([0.1, 0.2])
    np.testing.assert_allclose(locked.actuation_matrix(q)[:, 0], [0.0, np.sin(0.5)])


def test_open_loops_have_no_motors():
    robot = sg.load("five_bar")
    robot = replace(
        robot, actuators=(LoopMotor("m", robot.loops[0].name), Transmission(Coupling("b", {"joint1": 2.0})))
    )
    assert [actuator.name for actuator in without_loops(robot).actuators] == ["b"]
    assert "2 actuators" in repr(robot)


@pytest.mark.parametrize(
    ("actuators", "said"),
    [
        ((Transmission(Coupling("a", {"no_such": 1.0})),), "actuator 'a' acts on 'no_such': no joint has that name"),
        ((Transmission(Coupling("a", {})),), "actuator 'a' moves no joint"),
        ((LoopMotor("a", "no_such"),), "actuator 'a' drives loop 'no_such': no loop has that name"),
        ((Transmission(Coupling("a", {"joint1": 1.0})),) * 2, "two actuators are called 'a'"),
    ],
)
def test_what_cannot_be_driven_is_refused(actuators, said):
    with pytest.raises(sg.ModelError, match=said):
        sort_robot(replace(sg.load("rrr"), actuators=actuators))


def test_a_joint_of_several_coordinates_is_refused():
    robot = sg.load("a1", base="floating")
    with pytest.raises(sg.ModelError, match="it has several coordinates"):
        sort_robot(replace(robot, actuators=(Transmission(Coupling("a", {robot.joint_names[0]: 1.0})),)))


def test_a_position_of_another_shape_is_refused():
    with pytest.raises(sg.InputError, match="nq = 3"):
        sg.load("rrr").actuation_matrix([0.0])
