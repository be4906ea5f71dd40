"""Soles and edges: wrenches of forces at corners, and controllers against programs of the equations of motion."""

import json
from functools import cache

import numpy as np
import pytest
from scipy.optimize import nnls

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import (
    ContactForceTask,
    ControlLimits,
    FrameTask,
    PostureTask,
    Sole,
    controller,
    stack_contacts,
    stack_gains,
)
from screwgraph.motion.control.contacts.base import ROUND
from tests.motion.control.full_program import point
from tests.motion.control.robots import arm, bent, biped, soles
from tests.robots import robot_file, shared_file

LIMITS = ControlLimits(velocity=False, position=False, effort=False, glide_damping=0.0)


def generators(sole, mu):
    """Return wrenches (n, 20 or 10) of the edges of pyramids at all corners, in the sole's axes."""
    found = []
    for corner in sole.corners:
        p = sole.axes @ (np.array(corner.at) - sole.at)
        for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            f = np.array([mu * x, mu * y, 1.0])
            found.append(np.concatenate([np.cross(p, f), f])[6 - sole.size :])
    return np.array(found).T


@pytest.mark.parametrize("width", [0.08, 0.0])
def test_the_cone_is_that_of_forces_at_the_corners(width):
    sole = Sole("foot", 0.16, width, at=(0.1, 0.2, 0.3), x=(0.0, 1.0, 0.1), normal=(1.0, 0.0, 0.0))
    rng, inside, outside = np.random.default_rng(0), 0, 0
    rows = np.array(sole.cone(0.7)[0], dtype=float)
    edges = generators(sole, 0.7 * ROUND)
    assert (rows @ edges).min() > -1e-15
    for _ in range(300):
        wrench = edges @ rng.exponential(1.0, edges.shape[1]) * 0.1
        wrench[:-1] *= rng.uniform(0.0, 4.0)
        left = nnls(edges, wrench)[1]
        is_inside = (rows @ wrench).min() >= 0.0
        assert (left < 1e-9) == is_inside
        inside, outside = inside + is_inside, outside + (not is_inside)
    assert min(inside, outside) > 50
    # The centre of pressure stays on the sole: a normal force alone at its ends, along and across.
    for moment, half in ((-5, 0.08), (-6, 0.5 * width))[: sole.size - 4]:
        for share in (-1.01, -0.99, 0.99, 1.01):
            wrench = np.zeros(sole.size)
            wrench[-1], wrench[moment] = 100.0, 100.0 * half * share
            assert ((rows @ wrench).min() >= 0.0) == (abs(share) < 1.0)


@cache
def two_soles(width):
    robot = biped()
    feet = soles(width)
    tasks = (FrameTask("body"), PostureTask(weight=0.1), *(ContactForceTask(foot.frame, weight=1e-4) for foot in feet))
    return robot, feet, tasks, controller(robot, tasks, contacts=feet, limits=LIMITS)


@pytest.mark.parametrize("width", [0.08, 0.0])
def test_equations_of_motion_hold_and_soles_stay(width):
    robot, feet, tasks, f = two_soles(width)
    rng = np.random.default_rng(2)
    for on in ((1, 1), (1, 0), (0, 0)):
        q, qd = bent(robot), 0.3 * rng.standard_normal(robot.nv)
        q[7:] += 0.2 * rng.standard_normal(robot.nv - 6)
        goal = sg.forward_kinematics(robot, "body")(q)
        laws = np.array([(x, 0.7) for x in on], dtype=float)
        references = goal, np.zeros((2, 6)), q[7:], np.zeros((2, robot.nv - 6)), np.zeros(6), np.zeros(6)
        active = np.zeros(f.arguments[-1].shape)
        tau, qdd, forces, moments, active, (status, *_) = f(q, qd, *references, stack_gains(tasks), laws, active)
        wrenches = {}
        left = np.zeros(robot.nv)
        for foot, flag, force, moment in zip(feet, on, forces, moments, strict=True):
            J = sg.frame_jacobian(robot, foot.frame, reference="local_world_aligned")(q)
            R = sg.forward_kinematics(robot, foot.frame)(q)[:3, :3]
            arm_ = R @ foot.at
            J = np.vstack([J[:3], J[3:] + np.cross(J[:3].T, arm_).T])
            left += J.T @ np.concatenate([moment, force])
            # The point's acceleration by differences of velocities along the motion.
            step = 1e-5
            ahead = sg.integrate(robot)(q, qd * step + 0.5 * step**2 * qdd)
            behind = sg.integrate(robot)(q, -qd * step + 0.5 * step**2 * qdd)
            rates = []
            for p, v in ((ahead, qd + step * qdd), (behind, qd - step * qdd)):
                own = sg.frame_velocity(robot, foot.frame, reference="local_world_aligned")(p, v)
                lever = sg.forward_kinematics(robot, foot.frame)(p)[:3, :3] @ foot.at
                rates.append(np.concatenate([own[:3], own[3:] + np.cross(own[:3], lever)]))
            acceleration = (rates[0] - rates[1]) / (2.0 * step)
            if flag:
                turned = np.concatenate([R.T @ acceleration[:3], R.T @ acceleration[3:]])
                np.testing.assert_allclose(turned[6 - foot.size :], 0.0, atol=1e-5)
                if status == 0.0:
                    own = np.concatenate([R.T @ moment, R.T @ force])
                    assert (np.array(foot.cone(0.7)[0]) @ own[6 - foot.size :]).min() > -1e-6 * 9.81 * robot.mass
                    np.testing.assert_allclose(own[: 6 - foot.size], 0.0, atol=1e-9)
            else:
                np.testing.assert_array_equal([moment, force], 0.0)
            wrenches[foot.frame] = force
        efforts = np.concatenate([np.zeros(6), tau])
        np.testing.assert_allclose(sg.inverse_dynamics(robot)(q, qd, qdd) - left, efforts, atol=1e-7)
    assert stack_contacts(feet).shape == (2, 2)


def test_feet_of_more_joints_than_they_need_are_held_whatever_the_position():
    """Edges are held by five of six joints: any five that were chosen before would be singular somewhere."""
    robot, edges = biped(), soles(0.0, x=(0.0, 1.0, 0.0))
    tasks = [FrameTask("body"), PostureTask(weight=1e-2)]
    f = controller(robot, tasks, contacts=edges, limits=LIMITS)
    rng, still = np.random.default_rng(0), np.zeros(robot.nv)
    for _ in range(40):
        q = bent(robot)
        q[7:] += 0.05 * rng.standard_normal(robot.nv - 6)
        goal = sg.forward_kinematics(robot, "body")(q)
        references = goal, np.zeros((2, 6)), q[7:] + 0.1, np.zeros((2, robot.nv - 6))
        given = q, still, *references, stack_gains(tasks), stack_contacts(edges), np.zeros(f.arguments[-1].shape)
        _, qdd, *_ = f(*given)
        ends = [point(robot, corner, q, still)[0] @ qdd for edge in edges for corner in edge.corners]
        np.testing.assert_allclose(ends, 0.0, atol=1e-9)


@pytest.mark.suite
@pytest.mark.parametrize("name", ["qp1_a1_four_feet", "qp3_g1_two_soles"])
def test_optima_of_other_solvers(name):
    case = json.loads(shared_file("reference", "control", f"{name}.json").read_text())
    q, qd, wanted = (np.array(case[key]) for key in ("q", "qd", "qdd_desired"))
    friction = case["mu"] / ROUND
    if "sole" in case:
        length, width = (2.0 * x for x in case["sole"])
        robot = sg.load(robot_file("g1_29dof_rev_1_0.urdf"), base="floating")
        feet = [Sole(f"{side}_ankle_roll_link", length, width, friction=friction) for side in ("left", "right")]
    else:
        robot = sg.load("a1", base="floating")
        feet = [sg.Contact(f"{side}_foot", friction=friction) for side in ("FR", "FL", "RR", "RL")]
    tasks = [
        FrameTask(robot.joints[0].child, stiffness=0.0),
        PostureTask(stiffness=0.0),
        *(ContactForceTask(foot.frame, weight=case["force_weight"]) for foot in feet),
    ]
    limits = ControlLimits(velocity=False, position=False, normal_force=case["fz_min"], glide_damping=0.0)
    f = controller(robot, tasks, contacts=feet, limits=limits)
    base, posture = np.zeros((2, 6)), np.zeros((2, robot.nv - 6))
    base[1] = np.concatenate([wanted[:3], wanted[3:6] + np.cross(qd[:3], qd[3:6])])
    posture[1] = wanted[6:]
    references = np.eye(4), base, q[7:], posture, *[np.zeros(6)] * len(feet)
    _, qdd, forces, *moments, _, solution = f(
        q, qd, *references, stack_gains(tasks), stack_contacts(feet), np.zeros(f.arguments[-1].shape)
    )
    # Efforts are within 60 N m at this optimum; the file of the robot has less for some joints, which do not matter.
    x = np.concatenate([qdd, np.ravel(np.hstack([*moments, forces]) if moments else forces)])
    best = np.array(case["optimum"]["x"])
    H, g = np.array(case["H"]), np.array(case["g"])
    assert solution[0] == 0.0
    assert 0.5 * x @ H @ x + g @ x == pytest.approx(case["optimum"]["cost"], rel=1e-6)
    np.testing.assert_allclose(x, best, atol=1e-5)


def test_what_soles_cannot_be():
    with pytest.raises(InputError, match=r"0\.1 by -1\.0"):
        Sole("foot", 0.1, -1.0)
    with pytest.raises(InputError, match="along the normal"):
        Sole("foot", 0.1, 0.1, x=(0.0, 0.0, 1.0))
    with pytest.raises(InputError, match="3 joint coordinates of its own"):
        controller(arm(), [PostureTask()], contacts=[Sole("tip", 0.1, 0.1)])
    with pytest.raises(InputError, match="0 contacts have this frame"):
        controller(arm(), [ContactForceTask("tip")])
