"""Rows of tasks along motions that the public queries describe, and what controllers make of them."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import (
    AxisTask,
    ContactForceTask,
    ControlLimits,
    DampingTask,
    EffortTask,
    FrameTask,
    MomentumTask,
    PostureTask,
    controller,
    stack_contacts,
    stack_gains,
)
from screwgraph.motion.control.tasks import TASKS
from screwgraph.spatial import exp3
from tests.motion.control.full_program import ALIGNED
from tests.motion.control.robots import arm, crouched, feet, tripod

FREE = ControlLimits(effort=False, velocity=False, position=False)


def rows_of(task, robot, q, qd, *references):
    """Return J (k, nv), drift, error, error_rate, feedforward of a task at numbers."""
    rows = task.rows(robot, q, qd, *references)
    J = np.array([[row.J.get(i, 0.0) for i in range(robot.nv)] for row in rows], dtype=float)
    others = ("drift", "error", "error_rate", "feedforward")
    return (J, *(np.array([float(getattr(row, name)) for row in rows]) for name in others))


@pytest.mark.parametrize("kind", ["axis", "momentum"])
def test_what_follows_its_reference_needs_no_change(kind):
    robot, rng = tripod(), np.random.default_rng(0)
    for _ in range(3):
        q, qd, qdd = robot.random(rng), rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)
        if kind == "axis":
            task, own = AxisTask("front_knee_link", (1.0, 2.0, 3.0)), np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
            R = sg.forward_kinematics(robot, task.frame)(q)[:3, :3]
            V = sg.frame_velocity(robot, task.frame, reference=ALIGNED)(q, qd)[:3]
            A = sg.frame_acceleration(robot, task.frame, reference=ALIGNED)(q, qd, qdd)[:3]
            references = R @ own, np.concatenate([V, A])
        else:
            task = MomentumTask()
            references = sg.centroidal_momentum(robot)(q, qd), sg.centroidal_momentum_rate(robot)(q, qd, qdd)
        J, drift, error, rate, wanted = rows_of(task, robot, q, qd, *references)
        np.testing.assert_allclose(J @ qdd + drift, wanted, atol=1e-10)
        np.testing.assert_allclose([error, rate], 0.0, atol=1e-12)


def test_the_error_of_an_axis_is_the_turn_that_is_left():
    robot, rng = arm(), np.random.default_rng(1)
    for size in (1e-3, 1.0, 3.0):
        q = rng.uniform(-1, 1, 3)
        R, task = sg.forward_kinematics(robot, "tip")(q)[:3, :3], AxisTask("tip", (0.0, 1.0, 0.0))
        turn = np.cross(R[:, 1], rng.standard_normal(3))
        turn *= size / np.linalg.norm(turn)
        J, _, error, *_ = rows_of(task, robot, q, np.zeros(3), exp3(turn) @ R[:, 1], np.zeros(6))
        assert np.linalg.norm(error) == pytest.approx(2.0 * np.sin(0.5 * size), rel=1e-9)
        # Rows are along two directions of the body's angular velocity, in which the error is along the turn.
        spin = sg.frame_jacobian(robot, "tip", reference=ALIGNED)(q)[:3]
        across = J @ np.linalg.pinv(spin) if np.linalg.matrix_rank(spin) == 3 else None
        assert across is None or np.linalg.norm(across @ turn) == pytest.approx(size, rel=1e-9)
        assert across is None or (across @ turn) @ error > 0.0


def test_an_arm_points_at_a_direction_and_comes_to_rest():
    robot, dt = arm(), 2e-3
    tasks = [AxisTask("tip", (1.0, 0.0, 0.0)), DampingTask(weight=1e-3, damping=5.0)]
    f = controller(robot, tasks, limits=ControlLimits(dt=dt))
    simulator, active = sg.Simulator(robot, dt, np.array([0.3, -0.4, 0.8])), np.zeros(6)
    goal = np.array([0.6, 0.0, -0.8])
    for _ in range(1000):
        tau, _, active, _ = f(simulator.q, simulator.qd, goal, np.zeros((2, 3)), stack_gains(tasks), active)
        simulator.step(tau)
    np.testing.assert_allclose(sg.forward_kinematics(robot, "tip")(simulator.q)[:3, 0], goal, atol=1e-3)
    assert np.abs(simulator.qd).max() < 1e-2


def test_joints_slow_down_where_no_other_task_moves_them():
    """Alone, d(qd)/dt = -damping qd; behind a pose that is held, so along the direction that keeps the pose."""
    robot, hand, rng = sg.load("panda"), "panda_hand_tcp", np.random.default_rng(2)
    alone, behind = [DampingTask(damping=5.0)], [FrameTask(hand), DampingTask(damping=5.0, level=1)]
    q = np.array([0.1, -0.4, 0.2, -2.2, 0.1, 1.9, 0.8])
    f, qd = controller(robot, alone, limits=FREE), 0.1 * rng.standard_normal(7)
    qdd = f(q, qd, stack_gains(alone), np.zeros(f.arguments[-1].shape))[1]
    np.testing.assert_allclose(qdd, -5.0 * qd, atol=1e-5)
    f, pose = controller(robot, behind, limits=FREE), sg.forward_kinematics(robot, hand)(q)
    free = np.linalg.svd(sg.frame_jacobian(robot, hand)(q))[2][-1]
    qdd = f(q, 0.2 * free, pose, np.zeros((2, 6)), stack_gains(behind), np.zeros(f.arguments[-1].shape))[1]
    np.testing.assert_allclose(free @ qdd, -5.0 * 0.2, atol=1e-5)


def test_a_body_has_the_momentum_and_the_forces_that_are_wanted():
    robot = tripod()
    tasks = [MomentumTask(damping=0.0), ContactForceTask("front_knee_link", weight=1e-6), DampingTask(weight=1e-6)]
    f = controller(robot, tasks, contacts=feet(), limits=FREE)
    q, rate = crouched(robot), np.array([0.2, -0.3, 0.1, 2.0, 1.0, 5.0])
    references = np.zeros(6), rate, np.zeros(6)
    active = np.zeros(f.arguments[-1].shape)
    _, qdd, forces, *_ = f(
        q, np.zeros(robot.nv), *references, stack_gains(tasks), stack_contacts(feet(friction=1.0)), active
    )
    found = sg.centroidal_momentum_rate(robot)(q, np.zeros(robot.nv), qdd)
    np.testing.assert_allclose(found, rate, atol=1e-3)
    # Newton: forces and the weight change the linear part.
    np.testing.assert_allclose(forces.sum(axis=0) - [0.0, 0.0, 9.81 * robot.mass], found[3:], atol=1e-6)


def test_a_foot_carries_the_force_that_is_wanted():
    robot = tripod()
    tasks = [ContactForceTask("front_knee_link"), FrameTask("body", weight=1e-3), PostureTask(weight=1e-3)]
    f = controller(robot, tasks, contacts=feet(), limits=FREE)
    q = crouched(robot)
    wrench, goal = np.array([0.0, 0.0, 0.0, 1.0, 0.5, 12.0]), sg.forward_kinematics(robot, "body")(q)
    references = wrench, goal, np.zeros((2, 6)), q[7:], np.zeros((2, 9))
    active = np.zeros(f.arguments[-1].shape)
    _, _, forces, *_ = f(
        q, np.zeros(robot.nv), *references, stack_gains(tasks), stack_contacts(feet(friction=1.0)), active
    )
    np.testing.assert_allclose(forces[0], wrench[3:], atol=12e-3)  # the other tasks weigh a thousandth


def test_kinds_have_keys_and_names():
    assert list(TASKS) == [
        "frame", "impedance", "axis_of", "posture", "center_of_mass", "momentum", "damped", "force", "effort",
    ]  # fmt: skip
    assert EffortTask().gains == (0.0, 0.0, 1.0)
    with pytest.raises(InputError, match="must have a direction"):
        AxisTask("tip", (0.0, 0.0, 0.0))
    with pytest.raises(InputError, match="'elbow'"):
        controller(arm(), [DampingTask(("elbow",))])
