"""A humanoid on two flat feet: forces of soles, and of four points a sole, which are not unique, do not ring."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot.kinematics import frame_pose
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.contacts import FlatContact, PointContact
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Point, Velocity
from tests.oracle import oracle
from tests.robots import robot_file

SOLES = ("left_ankle_roll_link", "right_ankle_roll_link")
HEIGHT = 0.035
"""Of the ankles above the soles (m)."""
CORNERS = tuple((x, y, -HEIGHT) for x, y in ((0.12, 0.03), (0.12, -0.03), (-0.05, -0.025), (-0.05, 0.025)))
SMALL = 0.02
"""Part of the largest change of a force from sample to sample below which its sign is noise."""


def standing(robot):
    """Return a position with bent knees."""
    q = robot.neutral()
    for joint, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
        for side in ("left", "right"):
            q[robot.q_slices[f"{side}_{joint}_joint"]] = angle
    return q


def contact(kind, frame, ground):
    if kind == "flat":
        return FlatContact(frame, 0.17, 0.05, centre=(0.035, 0.0, -HEIGHT), ground=ground)
    return PointContact(frame, points=CORNERS, ground=ground)


def rings(forces):
    """Whether a force goes up and down from sample to sample, three times in a row, and not by noise."""
    change = np.diff(forces, axis=0)
    signs = np.where(np.abs(change) > SMALL * np.abs(change).max(), np.sign(change), 0.0)
    turns = signs[1:] * signs[:-1] < 0.0
    return bool((turns[2:] & turns[1:-1] & turns[:-2]).any())


@pytest.mark.suite
@pytest.mark.parametrize("kind", ["flat", "points"])
@pytest.mark.parametrize("shift", [0.0, 0.02])
def test_a_g1_moves_its_base_and_its_contact_forces_do_not_ring(kind, shift):
    robot = sg.load(robot_file("g1_29dof_rev_1_0.urdf"), base="floating")
    q = standing(robot)
    ground = float(frame_pose(robot, robot.frame(SOLES[0]), q)[2, 3]) - HEIGHT
    base = robot.frame(robot.joints[0].child)
    there = frame_pose(robot, base, q)[:3, 3] + shift * np.array([0.3, 1.0, -1.0])
    goals = (Point(base.name, there), Velocity()) if shift else (Velocity(),)
    contacts = tuple(contact(kind, frame, ground) for frame in SOLES)
    phases = horizon(10, duration=0.5)
    plan = Planner(Task(robot, phases, q, goals=goals, costs=(Effort(),), contacts=contacts, guess="stay")).solve()
    assert plan.converged, plan
    assert plan.result.iterations <= 30  # IPOPT: 15; without the curvature of hard factors 86
    for number in (1, 2):
        assert not rings(plan.values[f"contact {number} force"])
    _check_balance(robot, plan)


def _check_balance(robot, plan):
    """Pinocchio finds the torques, and none along the floating base."""
    peer, run = oracle(robot), plan.trajectory
    for k in range(1, len(plan.t), 4):
        wrenches = {frame: (w[k, :3], w[k, 3:]) for frame, w in run.external_wrenches.items()}
        tau = peer.inverse_dynamics(plan.q[k], plan.qd[k], plan.qdd[k], wrenches)
        assert tau == pytest.approx(plan.tau[k], abs=1e-5 * np.abs(tau).max())
