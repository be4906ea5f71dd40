"""Feet on legs of two joints: what they hold in the plane of their leg; a quadruped of eight joints that trots."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.model.robot import merge_fixed
from screwgraph.model.robot.joints.fixed import Fixed
from screwgraph.motion.control import (
    ControlLimits,
    FrameTask,
    Gait,
    PlanarPoint,
    PostureTask,
    Walk,
    controller,
    stack_contacts,
    stack_gains,
    stack_weights,
)

NAMES = [f"{leg}_foot" for leg in ("FR", "FL", "RR", "RL")]
FEET = [PlanarPoint(name, 0.02, friction=0.6) for name in NAMES]
BALLS = [sg.Contact(name, radius=0.02, friction=0.6) for name in NAMES]


@cache
def quadruped() -> sg.Robot:
    """An A1 whose hips are fixed."""
    robot = sg.load("a1", base="floating")
    joints = (
        replace(joint, type=Fixed(), limits=type(joint.limits)()) if "hip" in joint.name else joint
        for joint in robot.joints
    )
    return merge_fixed(replace(robot, joints=tuple(joints)))


def stand() -> np.ndarray:
    q = np.concatenate([[0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0], np.tile([0.8, -1.6], 4)])
    q[2] += 0.02 - sg.forward_kinematics(quadruped(), NAMES[0])(q)[2, 3]
    return q


def move_foot(robot, name, q, qd):
    """Return velocity of a foot's lowest point, and its leg's direction along the ground, in the world."""
    J, R = (sg.frame_jacobian(robot, name, reference=ALIGNED)(q), sg.forward_kinematics(robot, name)(q)[:3, :3])
    v, way = J @ qd, np.cross(R[:, 1], [0.0, 0.0, 1.0])
    return v[3:] + np.cross(v[:3], [0.0, 0.0, -0.02]), way / np.linalg.norm(way)


@pytest.mark.parametrize("seed", range(2))
def test_feet_have_no_acceleration_in_the_plane_of_their_leg(seed):
    """And forces there, with which inverse dynamics of all bodies has no effort at the base."""
    robot, rng = quadruped(), np.random.default_rng(seed)
    tasks = FrameTask(robot.links[1].name), PostureTask()
    limits = ControlLimits(velocity=False, position=False, effort=False, glide_damping=30.0)
    f = controller(robot, tasks, contacts=FEET, limits=limits)
    q = sg.integrate(robot)(stand(), 0.1 * rng.standard_normal(robot.nv))
    qd, on = 0.2 * rng.standard_normal(robot.nv), np.array([1.0, 1.0, 0.0, 1.0])
    shapes = [x.shape for x in f.arguments[2:] if x.name not in ("gains", "contacts", "active")]
    goals = [np.eye(4) if shape == (4, 4) else np.zeros(shape) for shape in shapes]
    flags = stack_contacts(FEET)
    flags[:, 0] = on
    active = np.zeros(f.arguments[-1].shape)
    tau, qdd, forces, *_ = f(q, qd, *goals, stack_gains(tasks), flags, active)
    pushed = np.zeros(robot.nv)
    step = 1e-6
    ahead, behind = (
        (sg.integrate(robot)(q, s * step * qd + 0.5 * step**2 * qdd), qd + s * step * qdd) for s in (1.0, -1.0)
    )
    for k, name in enumerate(NAMES):
        J = sg.frame_jacobian(robot, name, reference=ALIGNED)(q)
        push = np.array(forces[k])
        pushed += J[3:].T @ push + J[:3].T @ np.cross([0.0, 0.0, -0.02], push)
        v, way = move_foot(robot, name, q, qd)
        across = np.cross([0.0, 0.0, 1.0], way)
        assert abs(push @ across) < 1e-9
        if not on[k]:
            assert not push.any()
            continue
        rates = [
            np.array([moved[0][2], moved[0] @ moved[1]])
            for moved in (move_foot(robot, name, *ahead), move_foot(robot, name, *behind))
        ]
        found = (rates[0] - rates[1]) / (2.0 * step)
        np.testing.assert_allclose(found, -30.0 * np.array([v[2], v @ way]), atol=1e-5)
    expected = sg.inverse_dynamics(robot)(q, qd, qdd) - pushed
    np.testing.assert_allclose(expected[:6], 0.0, atol=1e-8)
    np.testing.assert_allclose(tau, expected[6:], atol=1e-8)


def test_a_quadruped_of_eight_joints_trots_and_bears_a_push():
    robot, q0 = quadruped(), stand()
    control = sg.mpc(robot, dt=0.02, horizon=20, contacts=FEET)
    weights = stack_weights(
        robot,
        position=[40.0] * 3 + [50.0, 50.0, 2000.0] + [20.0] * 8,
        velocity=[0.4] * 6 + [0.05] * 8,
        force=1e-4,
        acceleration=1e-6,
    )
    walk = Walk(robot, BALLS, Gait(period=0.5, duty=0.6, lift=0.05), q0)
    plant, previous = sg.Simulator(robot, 1e-3, q0, contacts=BALLS), np.zeros(control.arguments[-1].shape)
    heights = list[float]()
    for k in range(75):
        if k == 25:
            qd = plant.qd.copy()
            qd[4] += 0.2
            plant.reset(plant.q, qd)
        plan = walk.references(control, 0.02, 0.02 * k, plant.q, plant.qd)
        tau, *_, previous, solution = control(
            plant.q, plant.qd, plan.references, weights, plan.contacts, float(k > 0), previous
        )
        assert solution[0] <= 1.0
        plant.step(np.concatenate([np.zeros(6), tau]), steps=20)
        heights.append(plant.q[2] - q0[2])
    assert np.abs(heights).max() < 0.015
    assert np.abs(plant.q[:2]).max() < 0.1


def test_what_they_cannot_be():
    with pytest.raises(sg.InputError, match="across at 'FR_foot' is"):
        PlanarPoint("FR_foot", across=(0.0, 0.0, 0.0))
    wrong: list[Any] = [(0.0, 1.0), (0.0, 1.0, 0.0, 0.0), (0.0, np.nan, 0.0)]
    for across in wrong:
        with pytest.raises(sg.InputError, match="across at 'FR_foot' is not 3 finite numbers"):
            PlanarPoint("FR_foot", across=across)
    with pytest.raises(sg.InputError, match="of two a planar point"):
        sg.mpc(quadruped(), 0.02, 4, contacts=BALLS)
