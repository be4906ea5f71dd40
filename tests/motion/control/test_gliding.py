"""Points that glide: they push along the normal as is wanted, and follow tasks along the ground."""

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import (
    ContactForceTask,
    ControlLimits,
    ControlLoop,
    FrameTask,
    GlidingPoint,
    PostureTask,
    controller,
    stack_contacts,
    stack_gains,
)
from tests.motion.control.robots import arm

SLOPE = sg.Plane(normal=(0.1, 0.0, 1.0), height=0.05)
N = np.array(SLOPE.normal) / np.linalg.norm(SLOPE.normal)
PAD = GlidingPoint("tip", 0.02, friction=0.3)
TASKS = FrameTask("tip", of="position", weight=1e4), ContactForceTask("tip")  # small weights of rest do not count
LIMITS = ControlLimits(velocity=False, position=False, effort=False, glide_damping=30.0)


@cache
def wiper():
    robot = arm()
    pose = sg.forward_kinematics(robot, "tip")
    J = sg.frame_jacobian(robot, "tip", reference="local_world_aligned")
    return robot, pose, J, controller(robot, TASKS, contacts=[PAD], ground=SLOPE, limits=LIMITS)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("flag", [1.0, 0.0])
def test_force_along_the_normal_and_motion_along_the_ground(seed, flag):
    robot, pose, J, f = wiper()
    rng = np.random.default_rng(seed)
    q, qd = np.array([0.2, 0.4, 0.7]) + 0.2 * rng.standard_normal(3), 0.5 * rng.standard_normal(3)
    rates, place = rng.standard_normal((2, 3)), pose(q)[:3, 3]
    wrench = np.concatenate([np.zeros(3), 10.0 * N])
    active = np.zeros(f.arguments[-1].shape)
    feet = [[flag, 0.3]]
    tau, qdd, forces, _, (status, *_) = f(q, qd, place, rates, wrench, stack_gains(TASKS), feet, active)
    assert status == 0.0
    np.testing.assert_allclose(forces[0], flag * 10.0 * N, atol=1e-6)
    np.testing.assert_allclose(tau, sg.inverse_dynamics(robot)(q, qd, qdd) - J(q)[3:].T @ forces[0], atol=1e-9)
    step = 2e-5  # accelerations of the tip by differences of its places along the motion
    ahead, behind = (pose(q + s * step * qd + 0.5 * step**2 * qdd)[:3, 3] for s in (1.0, -1.0))
    found, v = (ahead - 2.0 * place + behind) / step**2, J(q)[3:] @ qd
    wanted = rates[1] + 20.0 * (rates[0] - v)
    held = wanted - (wanted @ N) * N - 30.0 * (v @ N) * N
    np.testing.assert_allclose(found, held if flag else wanted, atol=1e-5)


def test_a_simulation_lets_it_slide_and_presses():
    robot, pose, *_ = wiper()
    loop = ControlLoop(
        robot,
        (FrameTask("tip", of="position", stiffness=400.0), ContactForceTask("tip")),
        q0=np.array([0.0, 0.4, 0.5]),
        contacts=[PAD],
        ground=sg.Plane(height=pose([0.0, 0.4, 0.5])[2, 3] - 0.02),
        references={"tip_wrench": np.array([0.0, 0.0, 0.0, 0.0, 0.0, 10.0])},
    )
    simulator = sg.Simulator(robot, 1e-3, loop.q0, contacts=loop.points, ground=loop.ground)
    for _ in range(300):
        simulator.step(loop(simulator.t, simulator.q, simulator.qd))
    assert simulator.forces[0, 2] == pytest.approx(10.0, abs=0.1)


def test_what_it_cannot_be():
    with pytest.raises(InputError, match="radius"):
        GlidingPoint("tip", radius=-1.0)
    with pytest.raises(InputError, match="radius"):
        GlidingPoint("tip", radius=np.nan)
    with pytest.raises(InputError, match="not 3 finite numbers"):
        GlidingPoint("tip", at=(0.0, np.inf, 0.0))
    with pytest.raises(InputError, match="must not be negative"):
        GlidingPoint("tip", friction=-0.1)
    with pytest.raises(InputError, match="top"):
        controller(arm(), [PostureTask()], contacts=[GlidingPoint("top")])
    assert stack_contacts([PAD]).tolist() == [[1.0, 0.3]]
