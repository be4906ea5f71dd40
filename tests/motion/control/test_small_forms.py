"""Controllers of few tasks beside laws by Pinocchio: gravity compensation, operational space, filters of torques."""

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.motion.control import (
    ControlLimits,
    DampingTask,
    EffortTask,
    FrameTask,
    LinkCapsule,
    PlaneBarrier,
    controller,
    stack_barriers,
    stack_gains,
)

HAND = "panda_hand_tcp"
FREE = ControlLimits(effort=False, velocity=False, position=False)
ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


@pytest.fixture(scope="module")
def robots(tmp_path_factory):
    """A Panda, and Pinocchio's model of its file."""
    robot, path = sg.load("panda"), tmp_path_factory.mktemp("panda") / "panda.urdf"
    sg.save(robot, path)
    return robot, pin.buildModelFromUrdf(str(path))


def draw(seed):
    """Return a position within ranges, and a velocity."""
    rng = np.random.default_rng(seed)
    return np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.9, 0.8]) + 0.3 * rng.standard_normal(7), rng.standard_normal(7)


def look(model, q, qd):
    """Return the mass matrix, its forces, the Jacobian and drift of the hand's point, and its place, by Pinocchio."""
    data, frame = model.createData(), model.getFrameId(HAND)
    M, h = np.array(pin.crba(model, data, q)), np.array(pin.nonLinearEffects(model, data, q, qd))
    J = pin.computeFrameJacobian(model, data, q, frame, ALIGNED)[:3].copy()
    pin.forwardKinematics(model, data, q, qd, np.zeros(model.nv))
    pin.updateFramePlacements(model, data)
    drift = pin.getFrameClassicalAcceleration(model, data, frame, ALIGNED).linear
    M = np.triu(M) + np.triu(M, 1).T
    return M, h, J, np.array(drift), data.oMf[frame].translation.copy()


def test_gravity_compensation(robots):
    """Joints that shall not accelerate: tau = h(q, qd), the weights of the links where nothing moves."""
    robot, model = robots
    still = [DampingTask(damping=0.0)]
    f = controller(robot, still, limits=FREE)
    for seed in range(4):
        q, qd = draw(seed)
        for v in (qd, np.zeros(7)):
            tau, *_ = f(q, v, stack_gains(still), np.zeros(f.arguments[-1].shape))
            np.testing.assert_allclose(tau, pin.nonLinearEffects(model, model.createData(), q, v), atol=1e-3)


def test_operational_space(robots):
    """qdd = r + J+ (xdd - drift - J r), of r that brings joints to rest: Khatib (1987), Nakamura et al. (1987)."""
    robot, model = robots
    tasks = [FrameTask(HAND, "position", stiffness=400.0), DampingTask(damping=5.0, level=1)]
    f = controller(robot, tasks, limits=FREE)
    for seed in range(4):
        q, qd = draw(seed)
        M, h, J, drift, place = look(model, q, qd)
        goal = place + np.array([0.05, -0.03, 0.02])
        tau, *_ = f(q, qd, goal, np.zeros((2, 3)), stack_gains(tasks), np.zeros(f.arguments[-1].shape))
        r, xdd = -5.0 * qd, 400.0 * (goal - place) - 40.0 * (J @ qd)
        expected = M @ (r + np.linalg.pinv(J) @ (xdd - drift - J @ r)) + h
        np.testing.assert_allclose(tau, expected, atol=1e-3)


def test_filter_of_other_torques(robots):
    """The nearest torques above a plane: tau + a max(0, b - a tau) / a a, of the barrier's row a tau >= b."""
    robot, model = robots
    tasks = [EffortTask()]
    floor = [PlaneBarrier(LinkCapsule(HAND, 0.05), rate=8.0)]
    f, changed = controller(robot, tasks, limits=FREE, barriers=floor), 0
    for seed in range(8):
        q, qd = draw(seed)
        M, h, J, drift, place = look(model, q, qd)
        wanted = h + 40.0 * np.random.default_rng(seed).standard_normal(7)
        tau, *_ = f(q, qd, wanted, stack_gains(tasks), stack_barriers(floor), np.zeros(f.arguments[-1].shape))
        a = np.linalg.solve(M, J[2])
        bound = -drift[2] - 16.0 * (J[2] @ qd) - 64.0 * (place[2] - 0.05) + a @ h
        left = max(0.0, bound - a @ wanted)
        np.testing.assert_allclose(tau, wanted + a * left / (a @ a), atol=1e-4 * (1.0 + left / np.linalg.norm(a)))
        changed += left > 0.0
    assert 0 < changed < 8
