"""Controllers against programs in which nothing is condensed, and in closed loops."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.control import (
    CenterOfMassTask,
    ContactForceTask,
    ControlLimits,
    ControlLoop,
    FrameTask,
    PostureTask,
    controller,
    stack_contacts,
    stack_gains,
)
from screwgraph.motion.control.limits import PRIORITIES
from screwgraph.spatial import exp3
from screwgraph.tape.verifier import list_faults
from tests.motion.control.full_program import ALIGNED, FullProgram, point
from tests.motion.control.robots import arm, crouched, feet, tripod

ARM_TASKS = (FrameTask("tip", of="position", stiffness=400.0), PostureTask(weight=1e-2))
BODY_TASKS = (FrameTask("body"), PostureTask(weight=1e-2), CenterOfMassTask(weight=1e-3))
LIMITS = ControlLimits(dt=2e-3)


@cache
def arm_controller():
    return arm(), controller(arm(), ARM_TASKS, limits=LIMITS)


@cache
def body_controller(is_round=False):
    limits = replace(LIMITS, round_cones=is_round)
    return tripod(), controller(tripod(), BODY_TASKS, contacts=feet(), limits=limits)


def test_code_is_sound():
    for _, f in (arm_controller(), body_controller()):
        assert list_faults(f.body) == []


def penalties(robot, contacts, rows=5):
    driven = robot.nv - (6 if contacts else 0)
    bounds = len(list(LIMITS.list_bounds(robot)))
    names = ["effort"] * driven + ["motion"] * bounds + ["friction"] * rows * contacts
    return np.array([PRIORITIES[name] for name in names])


def wanted(gains, error, rate, feedforward):
    stiffness, damping, _ = gains
    return feedforward + stiffness * error + damping * rate


def test_an_arm_misses_its_tasks_least():
    robot, f = arm_controller()
    rng, J_of = np.random.default_rng(0), sg.frame_jacobian(robot, "tip", reference=ALIGNED)
    drift_of, pose = sg.frame_acceleration(robot, "tip", reference=ALIGNED), sg.forward_kinematics(robot, "tip")
    relaxed = 0
    for i in range(60):
        q, qd = rng.uniform(-2, 2, 3), rng.uniform(-1, 1, 3) * (8.0 if i % 3 == 0 else 1.0)
        goal, rates, posture = (
            pose(q)[:3, 3] + 0.3 * rng.standard_normal(3),
            rng.standard_normal((2, 3)),
            rng.uniform(-2, 2, 3),
        )
        gains = stack_gains(ARM_TASKS) * rng.uniform(0.5, 2.0, (2, 3))
        tau, qdd, active, (status, *_) = f(q, qd, goal, rates, posture, np.zeros((2, 3)), gains, np.zeros(6))
        J, drift = J_of(q)[3:], drift_of(q, qd, np.zeros(3))[3:]
        missed = [
            (J, drift - wanted(gains[0], goal - pose(q)[:3, 3], rates[0] - J @ qd, rates[1]), gains[0, 2]),
            (np.eye(3), -wanted(gains[1], posture - q, -qd, 0.0), gains[1, 2]),
        ]
        program = FullProgram(robot, q, qd, [], [], 0.0, missed, LIMITS)
        _, gap = program.gap(qdd, np.zeros(0), active, penalties(robot, 0))
        assert gap < 1e-7
        relaxed += status == 1.0
        if status == 0.0:
            np.testing.assert_allclose(sg.inverse_dynamics(robot)(q, qd, qdd), tau, atol=1e-6)
        assert np.all(abs(tau) <= 60.0)
    assert relaxed < 30


@pytest.mark.parametrize("is_round", [False, True])
def test_a_body_on_feet_misses_its_tasks_least_whatever_feet_are_on_the_ground(is_round):
    """Of round cones, planes that touch them where forces end prove the optimum."""
    robot, f = body_controller(is_round)
    rng, solved, edges = np.random.default_rng(1), 0, 0
    J_of, pose = sg.frame_jacobian(robot, "body", reference=ALIGNED), sg.forward_kinematics(robot, "body")
    drift_of = sg.frame_acceleration(robot, "body", reference=ALIGNED)
    for i in range(40):
        q, qd = crouched(robot), 0.5 * rng.standard_normal(robot.nv)
        q[7:] += rng.uniform(-0.3, 0.3, 9)
        on = [(1, 1, 1), (1, 0, 1), (0, 1, 0), (0, 0, 0)][i % 4]
        goal = pose(q).copy()
        turn = 0.5 * rng.standard_normal(3)
        goal[:3, :3] = exp3(turn) @ goal[:3, :3]
        goal[:3, 3] += 0.02 * rng.standard_normal(3)
        rates, posture, com = rng.standard_normal((2, 6)), q[7:] + 0.1, sg.center_of_mass(robot)(q) + 0.01
        gains = stack_gains(BODY_TASKS)
        mu = 0.3 if is_round else 0.6
        contacts = np.array([(x, mu) for x in on], dtype=float)
        still = np.zeros((2, 9)), np.zeros((2, 3))
        arguments = (
            q,
            qd,
            goal,
            rates,
            posture,
            still[0],
            com,
            still[1],
            gains,
            contacts,
            np.zeros(f.arguments[-1].shape),
        )
        _, qdd, forces, active, (status, *_) = f(*arguments)
        J, drift = J_of(q), drift_of(q, qd, np.zeros(robot.nv))
        half = np.linalg.norm(turn) / 2.0
        error = np.concatenate([np.sin(half) / half * turn, goal[:3, 3] - pose(q)[:3, 3]])
        C, zero = sg.center_of_mass_jacobian(robot)(q), np.zeros(robot.nv)
        c_drift = sg.center_of_mass_acceleration(robot)(q, qd, zero)
        missed = [
            (J, drift - wanted(gains[0], error, rates[0] - J @ qd, rates[1]), gains[0, 2]),
            (np.eye(robot.nv)[6:], -wanted(gains[1], posture - q[7:], -qd[6:], 0.0), gains[1, 2]),
            (C, c_drift - wanted(gains[2], com - sg.center_of_mass(robot)(q), -C @ qd, 0.0), gains[2, 2]),
        ]
        program, penalty = (
            FullProgram(robot, q, qd, feet(), on, mu, missed, LIMITS),
            penalties(robot, 3, 7 if is_round else 5),
        )
        off, gap = program.gap(qdd, forces, active[: len(penalty)], penalty, is_round)
        assert off < 1e-7
        solved += status == 0.0
        if is_round and status != 0.0:
            continue  # planes where forces end prove nothing of forces that leave their cones
        if is_round and (np.linalg.norm(forces[np.array(on) == 1], axis=1) < 1e-9).any():
            continue  # nor of a force that vanishes, whose direction is rounding
        assert gap < 1e-7
        outside = np.linalg.norm(forces[:, :2], axis=1) - mu * forces[:, 2]
        assert outside.max() < 1e-6
        edges += (abs(outside) < 1e-6).sum() - (np.array(on) == 0).sum()
    assert solved > 20
    assert edges > 10


def test_a_straight_knee_gives_torques_within_limits():
    robot, f = body_controller()
    for bend in (0.0, 1e-6, 1e-3):
        q = robot.neutral()
        q[2], q[7:] = 0.42, np.tile([0.0, bend, -2 * bend], 3)
        goal = sg.forward_kinematics(robot, "body")(q)
        still = np.zeros((2, 9)), np.zeros((2, 3))
        references = goal, np.zeros((2, 6)), q[7:], still[0], sg.center_of_mass(robot)(q), still[1]
        tau, qdd, forces, _, _ = f(
            q, np.zeros(15), *references, stack_gains(BODY_TASKS), stack_contacts(feet()), np.zeros(33)
        )
        for x in (tau, qdd, forces):
            assert np.isfinite(x).all()
        assert np.abs(tau).max() <= 60.0
        assert forces[:, 2].sum() == pytest.approx(9.81 * robot.mass, rel=0.05)


def test_no_state_is_without_a_command():
    """Random states up to absurd ones, stretched legs, any feet, and starts from rows that are none of theirs."""
    robot, f = body_controller()
    rng, n = np.random.default_rng(7), 300
    q, qd = np.tile(crouched(robot), (n, 1)), rng.standard_normal((n, 15)) * rng.choice([0.0, 0.3, 5.0, 50.0], (n, 1))
    q[:, 7:] += rng.uniform(-1.0, 1.0, (n, 9)) * rng.choice([0.1, 1.0, 3.0], (n, 1))
    q[::17, 7:] = 0.0
    q[::2, 3:7] = [quaternion / np.linalg.norm(quaternion) for quaternion in rng.standard_normal((n // 2, 4))]
    goal = np.tile(np.eye(4), (n, 1, 1))
    goal[:, :3, 3] = q[:, :3] + rng.standard_normal((n, 3))
    on = np.stack([rng.integers(0, 2, (n, 3)), rng.choice([0.0, 0.3, 1.0], (n, 3))], axis=-1)
    gains = stack_gains(BODY_TASKS) * rng.choice([0.0, 1e-4, 1.0], (n, 3, 1))
    still = np.zeros((n, 2, 6)), np.zeros((n, 2, 9)), np.zeros((n, 2, 3))
    start = rng.integers(-2, 3, (n, 33)) * rng.integers(0, 2, (n, 1))
    tau, qdd, forces, active, solution = f(
        q, qd, goal, still[0], q[:, 7:], still[1], q[:, :3], still[2], gains, on, start.astype(float)
    )
    assert solution[:, 0].max() <= 1.0
    assert np.abs(tau).max() <= 60.0
    for x in (qdd, forces, active, solution):
        assert np.isfinite(x).all()
    usual = (abs(qd).max(axis=1) < 3.0) & (gains[:, 0, 2] == stack_gains(BODY_TASKS)[0, 2])
    fresh, *_ = f(q, qd, goal, still[0], q[:, 7:], still[1], q[:, :3], still[2], gains, on, np.zeros((n, 33)))
    np.testing.assert_allclose(tau[usual], fresh[usual], atol=1e-6)
    q[0, 8] = np.nan
    tau, *_, solution = f(
        q[0], qd[0], goal[0], still[0][0], q[0, 7:], still[1][0], q[0, :3], still[2][0], gains[0], on[0], np.zeros(33)
    )
    assert solution[0] == 3.0
    np.testing.assert_array_equal(tau, 0.0)


def test_an_arm_follows_a_point_in_simulation():
    robot, f = arm_controller()
    simulator = sg.Simulator(robot, 2e-3, np.array([0.1, -0.4, 0.8]))
    pose, active, gains, errors = sg.forward_kinematics(robot, "tip"), np.zeros(6), stack_gains(ARM_TASKS), []
    gains[1, 2] = 1e-6
    center, w = pose(simulator.q)[:3, 3] + [0.0, 0.05, 0.0], 4.0
    for i in range(700):
        c, s = np.cos(w * 2e-3 * i), np.sin(w * 2e-3 * i)
        goal = center + 0.05 * np.array([s, -c, 0.0])
        rates = 0.05 * np.array([[w * c, w * s, 0.0], [-w * w * s, w * w * c, 0.0]])
        tau, _, active, _ = f(simulator.q, simulator.qd, goal, rates, [0.1, -0.4, 0.8], np.zeros((2, 3)), gains, active)
        simulator.step(tau)
        errors.append(np.linalg.norm(pose(simulator.q)[:3, 3] - goal))
    assert max(errors[350:]) < 2e-3


def test_positions_and_velocities_stay_within_their_limits():
    robot, f = arm_controller()
    simulator = sg.Simulator(robot, 2e-3, np.zeros(3))
    active, fastest = np.zeros(6), 0.0
    gains = np.array([[0.0, 0.0, 0.0], [400.0, 20.0, 1.0]])
    for _ in range(600):
        tau, _, active, _ = f(
            simulator.q, simulator.qd, np.zeros(3), np.zeros((2, 3)), [3.0, 3.0, 3.0], np.zeros((2, 3)), gains, active
        )
        simulator.step(tau)
        fastest = max(fastest, np.abs(simulator.qd).max())
        assert np.all(simulator.q < 2.0 + 1e-3)
    assert fastest < 8.0 + 1e-2
    np.testing.assert_allclose(simulator.q, 2.0, atol=0.02)


def test_a_body_squats_and_its_feet_stay():
    robot, f = body_controller()
    q, dt, w = crouched(robot), 2e-3, 10.0
    simulator = sg.Simulator(robot, dt, q, contacts=feet(friction=0.7))
    pose, com, active = sg.forward_kinematics(robot, "body"), sg.center_of_mass(robot)(q), np.zeros(33)
    goal, gains = pose(q).copy(), stack_gains(BODY_TASKS)
    gains[:, 2] = 1.0, 1e-5, 0.0
    for i in range(300):
        rates = np.zeros((2, 6))
        c, s = np.cos(w * dt * i), np.sin(w * dt * i)
        goal[2, 3], rates[:, 5] = q[2] - 0.015 * (1.0 - c), (-0.015 * w * s, -0.015 * w * w * c)
        references = {
            "body_pose": goal,
            "body_pose_rates": rates,
            "posture": q[7:],
            "posture_rates": np.zeros((2, 9)),
            "center_of_mass": com,
            "center_of_mass_rates": np.zeros((2, 3)),
        }
        tau, _, forces, active, (status, *_) = f(
            simulator.q, simulator.qd, **references, gains=gains, contacts=stack_contacts(feet()), active=active
        )
        simulator.step(np.concatenate([np.zeros(6), tau]))
        assert status == 0.0
        if i > 10:  # forces of the simulation are those that the controller wanted
            np.testing.assert_allclose(simulator.forces, forces, atol=0.06)  # 2e-3 of them: a step
        assert np.abs(pose(simulator.q) - goal).max() < 2e-3
    for contact in feet():
        assert np.abs(point(robot, contact, simulator.q, simulator.qd)[0] @ simulator.qd).max() < 1e-3


def test_feet_of_straight_legs_tell_that_they_move():
    """What a foot that is held would move by is the violation, in units of accelerations of limits."""
    robot, f = body_controller()
    q, still = crouched(robot), [np.zeros((2, 6)), np.zeros((2, 9)), np.zeros((2, 3))]
    told = 0
    for straight in (False, True):
        q[7:] = np.tile([0.0, 0.001, -0.002] if straight else [0.0, 0.5, -1.0], 3)
        goal = sg.forward_kinematics(robot, "body")(q)
        for way in ([0.0, 0.0, -0.05], [0.0, 0.03, 0.02]):
            goal[:3, 3] = q[:3] + way
            arguments = q, np.zeros(robot.nv), goal, still[0], q[7:], still[1], sg.center_of_mass(robot)(q), still[2]
            contacts, active = np.tile([1.0, 0.6], (3, 1)), np.zeros(f.arguments[-1].shape)
            _, qdd, *_, (status, _, violation) = f(*arguments, stack_gains(BODY_TASKS), contacts, active)
            J = np.vstack([point(robot, contact, q, np.zeros(robot.nv))[0] for contact in feet()])
            moves = np.abs(J @ qdd).max() / LIMITS.acceleration
            assert (status == 1.0) == (moves > 1e-6)
            np.testing.assert_allclose(violation, moves, atol=1e-9)
            told += status
    assert told == 2


def press(limits, weight):
    """Return efforts, those of the equations of motion, and normal forces of a body with an unloaded foot."""
    robot, tasks = tripod(), (*BODY_TASKS, ContactForceTask(feet()[0].frame, weight=weight))
    f, q, still = controller(robot, tasks, contacts=feet(), limits=limits), crouched(robot), np.zeros(robot.nv)
    none = {tasks[-1].name: np.zeros(6)}
    loop = ControlLoop(robot, tasks, contacts=feet(), limits=limits, q0=q, references=none)
    tau, qdd, forces, _, solution = f(q, still, **loop.arguments(0.0))
    J = np.vstack([point(robot, contact, q, still)[0] for contact in feet()])
    return tau, (sg.inverse_dynamics(robot)(q, still, qdd) - J.T @ forces.ravel()), forces[:, 2], solution


def test_feet_press_with_the_least_force_at_least():
    """A foot whose force is wanted to be zero presses with the least one, in newtons."""
    tau, efforts, normal, (status, *_) = press(replace(LIMITS, normal_force=7.0), 1e3)
    assert status == 0.0
    np.testing.assert_allclose(normal[0], 7.0, atol=1e-4)
    np.testing.assert_allclose(efforts, [*np.zeros(6), *tau], atol=1e-6)


def test_forces_that_motors_cannot_make_give_way_to_efforts():
    """Feet shall press with more than all efforts make: motion is that of efforts within their limits."""
    tau, efforts, normal, (status, *_) = press(replace(LIMITS, normal_force=1e4), 1e-3)
    assert status == 1.0
    assert abs(tau).max() <= 60.0
    assert normal.max() < 5e3
    np.testing.assert_allclose(efforts, [*np.zeros(6), *tau], atol=1e-3)
