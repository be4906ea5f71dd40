"""Robots on all their feet, in symmetric poses: torques by least squares in the null space, gravity by Pinocchio."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Loop, Robot, constraint_jacobian, without_loops
from screwgraph.model.robot.joints import Fixed, JointType, Spherical
from screwgraph.model.robot.kinematics import frame_pose
from tests.agreement import interpreted
from tests.closed_oracle import projected
from tests.oracle import oracle
from tests.robots import robot_file


def standing(
    path: Path, feet: tuple[str, ...], pose: dict[str, float], height: float, joint: JointType
) -> tuple[Robot, np.ndarray]:
    """Return a robot whose feet are tied to the ground where they stand, and that position."""
    robot = sg.load(path, base="floating")
    q = robot.neutral()
    q[2] = height
    for name in robot.joint_names[1:]:
        q[robot.q_slices[name]] = next((angle for part, angle in pose.items() if part in name), 0.0)
    loops = []
    for foot in feet:
        frame = robot.frame(foot)
        T = frame_pose(robot, frame, q)
        loops.append(Loop(f"on {foot}", joint, robot.links[0].name, frame.link, T, frame.T_lf))
    return replace(robot, loops=tuple(loops)), q


def a1() -> tuple[Robot, np.ndarray]:
    feet = tuple(f"{leg}_foot" for leg in ("FR", "FL", "RR", "RL"))
    return standing(robot_file("a1.urdf"), feet, {"thigh": 0.8, "calf": -1.6}, 0.3, Spherical())


def g1() -> tuple[Robot, np.ndarray]:
    feet = ("left_ankle_roll_link", "right_ankle_roll_link")
    pose = {"hip_pitch": -0.3, "knee": 0.6, "ankle_pitch": -0.3}
    return standing(robot_file("g1_29dof_rev_1_0.urdf"), feet, pose, 0.75, Fixed())


def allowed(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the velocities that the loops allow, as columns."""
    _, sizes, directions = np.linalg.svd(constraint_jacobian(robot, q))
    return directions[(sizes > 1e-9 * sizes[0]).sum() :].T


ROBOTS = [pytest.param(a1, id="a1"), pytest.param(g1, id="g1", marks=pytest.mark.suite)]
ORDERS = [pytest.param("embedding"), *(pytest.param(o, marks=pytest.mark.suite) for o in ("auto", "mixed", "kkt"))]


@pytest.mark.parametrize("make", ROBOTS)
@pytest.mark.parametrize("ordering", ORDERS)
def test_torques_of_the_legs_hold_the_robot_and_are_the_smallest(make, ordering):
    robot, q = make()
    legs = robot.joint_names[1:]
    N, rest = allowed(robot, q), np.zeros((1, robot.nv))
    needed = N.T @ oracle(without_loops(robot)).bias_forces(q, rest[0])
    try:
        f = sg.inverse_dynamics(robot, actuated=legs, ordering=ordering)
    except sg.EliminationError:
        pytest.skip("this order is refused")
    tau = interpreted(f, q[None], rest, rest)[0]
    np.testing.assert_allclose(N.T @ tau, needed, atol=1e-9 * np.abs(needed).max())
    places = np.concatenate([np.arange(robot.nv)[robot.v_slices[name]] for name in legs])
    least = np.linalg.lstsq(N[places].T, needed, rcond=None)[0]
    np.testing.assert_allclose(tau[places], least, atol=1e-9 * np.abs(least).max())


@pytest.mark.suite
@pytest.mark.parametrize(("make", "knee"), [pytest.param(a1, "calf", id="a1"), pytest.param(g1, "knee", id="g1")])
@pytest.mark.parametrize("stretched", [1, 4])
def test_torques_of_stretched_legs_are_the_smallest(make, knee, stretched):
    """Where the base does not tell how a leg moves, accelerations of all joints are read."""
    robot, q = make()
    legs, knees = robot.joint_names[1:], [name for name in robot.joint_names if knee in name][:stretched]
    for name in knees:
        q[robot.q_slices[name]] = 0.0
    q = robot.close_loops(q, independent=knees)
    N, forward = allowed(robot, q), projected(robot)
    rng, tree = np.random.default_rng(1), oracle(without_loops(robot))
    qd = N @ rng.standard_normal(N.shape[1])
    qdd = forward(q, qd, rng.standard_normal(robot.nv))
    needed = N.T @ tree.inverse_dynamics(q, qd, qdd)
    places = np.concatenate([np.arange(robot.nv)[robot.v_slices[name]] for name in legs])
    least = np.linalg.lstsq(N[places].T, needed, rcond=None)[0]
    tau = sg.inverse_dynamics(robot, actuated=legs)(q, qd, qdd)
    np.testing.assert_allclose(tau[places], least, atol=1e-9 * np.abs(least).max())


@pytest.mark.parametrize("make", ROBOTS)
def test_independent_joints_hold_the_robot(make):
    robot, q = make()
    N, rest = allowed(robot, q), np.zeros((1, robot.nv))
    needed = N.T @ oracle(without_loops(robot)).bias_forces(q, rest[0])
    tau = interpreted(sg.inverse_dynamics(robot, ordering="embedding"), q[None], rest, rest)[0]
    np.testing.assert_allclose(N.T @ tau, needed, atol=1e-9 * np.abs(needed).max())
    assert robot.independent_joints[0] == robot.joint_names[0]


@pytest.mark.parametrize("make", ROBOTS)
@pytest.mark.parametrize("ordering", ["embedding", pytest.param("kkt", marks=pytest.mark.suite)])
def test_accelerations_are_those_of_the_projection_method(make, ordering):
    robot, q = make()
    N, rest, tree = allowed(robot, q), np.zeros((1, robot.nv)), oracle(without_loops(robot))
    tau = np.random.default_rng(0).standard_normal(robot.nv)
    expected = N @ np.linalg.solve(N.T @ tree.mass_matrix(q) @ N, N.T @ (tau - tree.bias_forces(q, rest[0])))
    found = interpreted(sg.forward_dynamics(robot, ordering=ordering), q[None], rest, tau[None])[0]
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())
