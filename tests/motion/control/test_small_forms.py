"""Controllers of few tasks beside laws by Pinocchio: gravity compensation, operational space, impedances, filters."""

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import (
    ControlLimits,
    DampingTask,
    EffortTask,
    FrameTask,
    ImpedanceTask,
    LinkCapsule,
    PlaneBarrier,
    controller,
    stack_barriers,
    stack_contacts,
    stack_gains,
)
from tests.motion.control.robots import crouched, feet, tripod, tripod_text

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


@pytest.mark.parametrize("is_measured", [True, False])
def test_impedance(robots, is_measured):
    """Accelerations of a hand that a wrench pushes: those of a body on springs along the goal's axes (Hogan, 1985)."""
    robot, model = robots
    stiffness, damping, inertia = (
        [20.0, 30.0, 40.0, 300.0, 600.0, 900.0],
        [2.0] * 3 + [50.0] * 3,
        [0.1, 0.2, 0.3, 2, 3, 5],
    )
    task = ImpedanceTask(HAND, stiffness=stiffness, damping=damping, inertia=inertia if is_measured else None)
    tasks = [task, DampingTask(damping=5.0, level=1)]
    f, frame, data = controller(robot, tasks, limits=FREE), model.getFrameId(HAND), model.createData()
    for seed in range(4):
        rng, (q, qd) = np.random.default_rng(seed), draw(seed)
        rates, wrench = 0.2 * rng.standard_normal((2, 6)), 5.0 * rng.standard_normal(6)
        pin.forwardKinematics(model, data, q)
        goal = pin.updateFramePlacement(model, data, frame) * pin.exp6(1e-6 * rng.standard_normal(6))
        goal.translation += 0.02 * rng.standard_normal(3)
        given = goal.homogeneous, rates, task.impedance, *([wrench] if is_measured else [])
        tau, *_ = f(q, qd, *given, stack_gains(tasks), np.zeros(f.arguments[-1].shape))
        M, h = np.triu(pin.crba(model, data, q)), pin.nonLinearEffects(model, data, q, qd)
        M = M + np.triu(M, 1).T
        J = np.roll(pin.computeFrameJacobian(model, data, q, frame, ALIGNED), 3, axis=0)
        pin.forwardKinematics(model, data, q, qd, np.linalg.solve(M, tau - h + J.T @ (wrench * is_measured)))
        place = pin.updateFramePlacement(model, data, frame)
        found = pin.getFrameClassicalAcceleration(model, data, frame, ALIGNED)
        R, turn = goal.rotation, pin.log3(goal.rotation @ place.rotation.T)
        axes = np.block([[R, np.zeros((3, 3))], [np.zeros((3, 3)), R]])
        missed = axes.T @ np.concatenate([turn, goal.translation - place.translation])
        pull = axes @ (stiffness * missed + damping * (axes.T @ (rates[0] - J @ qd)))
        if is_measured:
            expected = rates[1] + axes @ ((axes.T @ (pull + wrench)) / inertia)
        else:
            expected = rates[1] + J @ np.linalg.solve(M, J.T @ pull)
        np.testing.assert_allclose(np.concatenate([found.angular, found.linear]), expected, atol=2e-3)


def test_an_impedance_of_a_closed_chain():
    """A point of a five-bar, at rest, pushed and 1 cm from its goal."""
    task = ImpedanceTask("end_effector", "position", stiffness=500.0, inertia=3.0)
    robot, wrench = sg.load("five_bar"), np.array([0.0, 0.0, 0.0, 6.0, -4.0, 0.0])
    f, q = controller(robot, [task], limits=FREE), robot.neutral()
    place = sg.forward_kinematics(robot, "end_effector")(q)[:3, 3]
    given = np.add(place, [0.0, 0.01, 0.0]), np.zeros((2, 3)), task.impedance, wrench
    tau, *_ = f(q, np.zeros(4), *given, stack_gains([task]), np.zeros(f.arguments[-1].shape))
    J = sg.frame_jacobian(robot, "end_effector", reference="local_world_aligned")(q)
    efforts = J.T @ wrench
    efforts[[robot.v_slices[name].start for name in robot.independent_joints]] += tau
    qdd = sg.forward_dynamics(robot)(q, np.zeros(4), efforts)
    np.testing.assert_allclose((J @ qdd)[3:], [2.0, (5.0 - 4.0) / 3.0, 0.0], atol=1e-4)


def test_what_impedances_cannot_be(robots):
    with pytest.raises(InputError, match="neither damping nor inertia"):
        ImpedanceTask(HAND, stiffness=100.0)
    wrong: list[dict[str, Any]] = [{"stiffness": x} for x in (-1.0, [1.0, 2.0], np.nan)]
    wrong += [{"stiffness": 1.0, "inertia": 0.0}]
    for bad in wrong:
        with pytest.raises(InputError, match=r"stiffness|inertia"):
            ImpedanceTask(HAND, damping=1.0, **bad)
    with pytest.raises(InputError, match="depends on what it stands on"):
        controller(sg.load("a1", base="floating"), [ImpedanceTask("trunk", stiffness=1.0, damping=1.0)])


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
        np.testing.assert_allclose(
            tau, wanted + a * left / (a @ a), atol=1e-4 * (1.0 + left / float(np.linalg.norm(a)))
        )
        changed += left > 0.0
    assert 0 < changed < 8


@pytest.mark.parametrize(
    ("frame", "of", "on"), [("body", "pose", [1, 1, 1]), ("front_knee_link", "position", [0, 1, 1])]
)
def test_an_impedance_of_a_body_on_feet(frame, of, on):
    """A trunk that feet carry, and a leg in the air, both pushed: accelerations by Pinocchio, of forces of the feet."""
    robot, model = tripod(), pin.buildModelFromXML(tripod_text(), pin.JointModelFreeFlyer())
    stiffness, inertia = np.array([20.0, 30.0, 40.0, 300.0, 600.0, 900.0]), np.array([0.5, 0.7, 1.0, 2.0, 3.0, 5.0])
    own, part = (slice(None), 0) if of == "pose" else (slice(3, 6), 3)
    task = ImpedanceTask(frame, of, stiffness=list(stiffness[own]), inertia=list(inertia[own]))
    touching = feet(friction=5.0)
    f, data = controller(robot, [task], contacts=touching, limits=FREE), model.createData()
    at, rng, flags = model.getFrameId(frame), np.random.default_rng(3), stack_contacts(touching)
    flags[:, 0] = on
    for _ in range(4):
        q, qd = crouched(robot), 0.01 * rng.standard_normal(15)
        q[7:] += 0.03 * rng.standard_normal(9)
        v, wrench, rates = np.roll(qd[:6], 3), 0.5 * rng.standard_normal(6), 0.05 * rng.standard_normal((2, 6))
        v = np.concatenate([v, qd[6:]])
        pin.forwardKinematics(model, data, q)
        goal = pin.updateFramePlacement(model, data, at)
        goal.translation += 0.002 * rng.standard_normal(3)
        given = (goal.homogeneous if of == "pose" else goal.translation), rates[:, own], task.impedance, wrench
        tau, _, forces, *_, solution = f(q, qd, *given, stack_gains([task]), flags, np.zeros(f.arguments[-1].shape))
        assert solution[0] == 0.0
        assert (forces[:, 2] > 1.0 * np.array(on) - 1e-9).all()  # N: no foot is at the bound of its cone
        efforts = np.concatenate([np.zeros(6), tau]) - pin.nonLinearEffects(model, data, q, v)
        J = np.roll(pin.computeFrameJacobian(model, data, q, at, ALIGNED), 3, axis=0)
        efforts += J.T @ wrench
        for contact, force in zip(touching, forces, strict=True):
            link = model.getFrameId(contact.frame)
            pin.forwardKinematics(model, data, q)
            arm = pin.updateFramePlacement(model, data, link).rotation @ contact.at - [0.0, 0.0, contact.radius]
            both = pin.computeFrameJacobian(model, data, q, link, ALIGNED)
            efforts += (both[:3] - pin.skew(arm) @ both[3:]).T @ force
        M = np.triu(pin.crba(model, data, q))
        pin.forwardKinematics(model, data, q, v, np.linalg.solve(M + np.triu(M, 1).T, efforts))
        place = pin.updateFramePlacement(model, data, at)
        found = pin.getFrameClassicalAcceleration(model, data, at, ALIGNED)
        turn, R = pin.log3(goal.rotation @ place.rotation.T), goal.rotation if of == "pose" else np.eye(3)
        axes = np.block([[R, np.zeros((3, 3))], [np.zeros((3, 3)), R]])
        missed = axes.T @ np.concatenate([turn, goal.translation - place.translation])
        pull = stiffness * missed + 2.0 * np.sqrt(inertia * stiffness) * (axes.T @ (rates[0] - J @ v))
        expected = rates[1] + axes @ ((pull + axes.T @ wrench) / inertia)
        np.testing.assert_allclose(np.concatenate([found.angular, found.linear])[part:], expected[part:], atol=2e-3)
