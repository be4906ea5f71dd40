"""Strict priorities beside least squares one after the other."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.controller_programs import draw_ticks
from scipy.optimize import lsq_linear

import screwgraph as sg
from screwgraph.motion.control import (
    CenterOfMassTask,
    ControlLimits,
    DampingTask,
    FrameTask,
    PostureTask,
    controller,
    stack_contacts,
    stack_gains,
)
from screwgraph.spatial import exp3
from screwgraph.tape.verifier import list_faults
from tests.motion.control.full_program import ALIGNED
from tests.motion.control.robots import arm, bent, biped, crouched, feet, soles, tripod

LIMITS = ControlLimits(velocity=False, position=False)
TASKS = (
    FrameTask("tip", of="orientation", stiffness=400.0, weight=1e-2),
    FrameTask("tip", of="position", stiffness=400.0, level=1),
    PostureTask(weight=3.0, level=5),
)


@cache
def layered():
    return arm(), controller(arm(), TASKS[1:], limits=LIMITS)


def test_code_is_sound():
    assert list_faults(layered()[1].body) == []


def test_a_level_changes_nothing_of_those_before():
    """Torques within bounds that miss level 1 least are found by least squares; of them the ones that miss level 5."""
    robot, f = layered()
    rng, J_of = np.random.default_rng(0), sg.frame_jacobian(robot, "tip", reference=ALIGNED)
    drift_of, pose = sg.frame_acceleration(robot, "tip", reference=ALIGNED), sg.forward_kinematics(robot, "tip")
    mass, bias, bounded, singular = sg.mass_matrix(robot), sg.bias_forces(robot), 0, 0
    for i in range(40):
        q, qd = rng.uniform(-1.5, 1.5, 3), rng.uniform(-1, 1, 3)
        q[2] = 0.0 if i % 4 == 0 else q[2]
        goal, posture = pose(q)[:3, 3] + 0.1 * rng.standard_normal(3), rng.uniform(-2, 2, 3)
        gains = stack_gains(TASKS[1:])
        still = np.zeros((2, 3))
        tau, qdd, _, (status, *_) = f(q, qd, goal, still, posture, still, gains, np.zeros(f.arguments[-1].shape))
        M, h = mass(q), bias(q, qd)
        J, drift = J_of(q)[3:], drift_of(q, qd, np.zeros(3))[3:]
        wanted = 400.0 * (goal - pose(q)[:3, 3]) - 40.0 * (J @ qd) - drift
        by_effort = J @ np.linalg.inv(M)
        first = lsq_linear(by_effort, wanted + by_effort @ h, (-60.0, 60.0), tol=1e-15)
        missed = J @ qdd - wanted
        assert status == 0.0
        assert np.linalg.norm(missed) <= np.linalg.norm(first.fun) * (1.0 + 1e-5) + 1e-5 * np.linalg.norm(wanted)
        bounded += np.abs(first.x).max() > 59.9
        if np.linalg.svd(J)[1][-1] < 1e-9 and np.abs(first.x).max() < 59.9:
            # A straight arm: what is left of the joints' motions is for the posture.
            free = np.linalg.svd(J)[2][-1:].T
            goal_qdd = 100.0 * (posture - q) - 20.0 * qd
            best = np.linalg.pinv(J, rcond=1e-9) @ wanted
            best = best + free @ (free.T @ (goal_qdd - best))
            if np.abs(M @ best + h).max() < 60.0:
                np.testing.assert_allclose(qdd, best, atol=1e-3 * np.abs(best).max())
                singular += 1
        assert np.all(np.abs(tau) <= 60.0)
    assert bounded > 3
    assert singular > 1


def test_weights_of_zero_leave_a_level_out():
    _, f = layered()
    q, still = np.array([0.2, -0.4, 0.8]), np.zeros((2, 3))
    gains, posture = stack_gains(TASKS[1:]), q + 0.01
    gains[0, 2] = 0.0
    arguments = (q, np.zeros(3), np.ones(3), still, posture, still, gains)
    _, qdd, _, (status, passages, _) = f(*arguments, np.zeros(f.arguments[-1].shape))
    assert status == 0.0
    assert passages >= 2.0
    np.testing.assert_allclose(qdd, 1.0, atol=1e-4)


@pytest.mark.parametrize("on", [(1, 1, 1), (1, 0, 1)])
def test_a_body_keeps_its_pose_before_its_legs_keep_theirs(on):
    robot = tripod()
    tasks = [FrameTask("body", of="orientation"), FrameTask("body", of="position", level=1), PostureTask(level=2)]
    f = controller(robot, tasks, contacts=feet(), limits=LIMITS)
    q, rng = crouched(robot), np.random.default_rng(4)
    T = sg.forward_kinematics(robot, "body")(q)
    posture = q[7:] + 0.05 * rng.standard_normal(9)
    laws = stack_contacts(feet(friction=0.8))
    laws[:, 0] = on
    references = T[:3, :3], np.zeros((2, 3)), T[:3, 3] + [0.0, 0.0, 0.001], np.zeros((2, 3)), posture, np.zeros((2, 9))
    active = np.zeros(f.arguments[-1].shape)
    for _ in range(2):
        _, qdd, _, active, solution = f(q, np.zeros(15), *references, stack_gains(tasks), laws, active)
    assert solution[0] == 0.0
    np.testing.assert_allclose(qdd[:3], 0.0, atol=1e-5)
    if all(on):
        np.testing.assert_allclose(qdd[3:6], [0.0, 0.0, 0.1], atol=1e-4)


def test_no_state_is_without_a_command():
    robot = tripod()
    tasks = [FrameTask("body", of="orientation"), FrameTask("body", of="position", level=1), PostureTask(level=2)]
    f = controller(robot, tasks, contacts=feet(), limits=LIMITS)
    rng, n = np.random.default_rng(8), 200
    q, qd = np.tile(crouched(robot), (n, 1)), rng.standard_normal((n, 15)) * rng.choice([0.0, 0.3, 5.0], (n, 1))
    q[:, 7:] += rng.uniform(-1.0, 1.0, (n, 9)) * rng.choice([0.1, 1.0, 3.0], (n, 1))
    q[::17, 7:] = 0.0
    on = np.stack([rng.integers(0, 2, (n, 3)), rng.choice([0.0, 0.3, 1.0], (n, 3))], axis=-1)
    gains = stack_gains(tasks) * rng.choice([0.0, 1e-4, 1.0], (n, 3, 1))
    still = np.zeros((n, 2, 3)), np.zeros((n, 2, 9))
    goal = np.tile(np.eye(3), (n, 1, 1)), q[:, :3] + 0.3 * rng.standard_normal((n, 3))
    start = rng.integers(-2, 3, (n, *f.arguments[-1].shape)) * rng.integers(0, 2, (n, 1))
    tau, qdd, forces, active, solution = f(
        q, qd, goal[0], still[0], goal[1], still[0], q[:, 7:], still[1], gains, on, start.astype(float)
    )
    assert solution[:, 0].max() <= 1.0
    assert np.abs(tau).max() <= 60.0
    for x in (qdd, forces, active, solution):
        assert np.isfinite(x).all()


def test_levels_beyond_what_limits_allow():
    """Where limits end what tasks of a level reach, they are active for all later ones, and nothing gives way.

    Of 40 states with 7 to 15 active rows of 15 unknowns, a few end with what an earlier level has reached.
    """
    robot, rng, edges = biped(), np.random.default_rng(2), soles(friction=0.6)
    tasks = [
        CenterOfMassTask(),
        FrameTask("body", of="orientation", level=1),
        FrameTask("mast_link", of="position", level=2),
        PostureTask(level=3),
    ]
    every = controller(robot, tasks, contacts=edges)
    fewer = [controller(robot, [*tasks[:n], DampingTask(level=9)], contacts=edges) for n in (1, 2)]
    mast = sg.forward_kinematics(robot, "mast_link")
    J = [
        sg.center_of_mass_jacobian(robot),
        sg.frame_jacobian(robot, "body", reference=ALIGNED),
    ]
    ended, missed = 0, []
    for _ in range(40):
        q, qd = bent(robot), 0.3 * rng.standard_normal(robot.nv)
        q[7:] += 0.05 * rng.standard_normal(robot.nq - 7)
        named = {
            "q": q,
            "qd": qd,
            "center_of_mass": sg.center_of_mass(robot)(q) + 0.02 * rng.standard_normal(3),
            "body_orientation": exp3(0.1 * rng.standard_normal(3)),
            "mast_link_position": mast(q)[:3, 3] + 0.02 * rng.standard_normal(3),
            "posture": q[7:] + 0.1 * rng.standard_normal(robot.nq - 7),
            "contacts": stack_contacts(edges),
        }
        found = []
        for f in (*fewer, every):
            own = {a.name: named.get(a.name, np.zeros(a.shape)) for a in f.arguments}
            n = len(own["gains"])
            own["gains"] = stack_gains(tasks if f is every else [*tasks[: n - 1], DampingTask()])
            found.append(dict(zip((r.name for r in f.results), f(**own), strict=True)))
        status = [own["solution"][0] for own in found]
        assert np.all(np.abs(found[-1]["tau"]) <= 90.0)
        assert found[-1]["solution"][2] <= found[0]["solution"][2] + 1e-5
        missed.append(status != [status[0]] * 3)
        for k in range(2) if status == [0.0] * 3 else ():
            first, last = (J[k](q)[:3] @ own["qdd"] for own in (found[k], found[-1]))
            np.testing.assert_allclose(last, first, atol=1e-5)
            ended += found[k]["active"].any()
    assert ended > 50
    assert sum(missed) <= 4


def test_limits_that_are_met_by_chance_are_left():
    """A level that reaches its goals holds no limit: later ones miss no more than beside weights of a million.

    At one of these states limits of nine joints are active at level 0, by multipliers that are rounding.
    """
    robot = sg.load("a1", base="floating")
    paws = [sg.Contact(f"{side}_foot", radius=0.02) for side in ("FR", "FL", "RR", "RL")]
    tasks = [
        FrameTask("trunk", "orientation", stiffness=200.0),
        FrameTask("trunk", "position", stiffness=200.0, level=1),
    ]
    drawn = draw_ticks(SimpleNamespace(model=robot, tasks=(FrameTask("trunk"), PostureTask())), 600, seed=1)
    pose, rates = drawn.pop("trunk_pose"), drawn.pop("trunk_pose_rates")
    drawn |= {"trunk_orientation": pose[:, :3, :3], "trunk_position": pose[:, :3, 3]}
    drawn |= {"trunk_orientation_rates": rates[..., :3], "trunk_position_rates": rates[..., 3:]}
    chosen = np.arange(200, 260)
    q, qd = drawn["q"][chosen], drawn["qd"][chosen]
    first, second = np.moveaxis(drawn["trunk_position_rates"][chosen], 1, 0)
    v = sg.frame_velocity(robot, "trunk", reference=ALIGNED)(q, qd)[:, 3:]
    way = drawn["trunk_position"][chosen] - q[:, :3]
    wanted = second + 200.0 * way + 2.0 * np.sqrt(200.0) * (first - v)
    turns, missed, solved = [], [], []
    for own in (tasks, [replace(tasks[0], weight=1e6), replace(tasks[1], level=0)]):
        own = [*own, PostureTask(stiffness=25.0, weight=1e-6, level=own[-1].level)]
        f = controller(robot, own, contacts=paws)
        named = drawn | {"gains": np.broadcast_to(stack_gains(own), (600, 3, 3))}
        given = {a.name: named[a.name][chosen] for a in f.arguments[:-1]}
        found = dict(zip((r.name for r in f.results), f(**given, active=np.zeros(f.arguments[-1].shape)), strict=True))
        a = sg.frame_acceleration(robot, "trunk", reference=ALIGNED)(q, qd, found["qdd"])
        turns.append(a[:, :3])
        missed.append(np.linalg.norm(a[:, 3:] - wanted, axis=1))
        solved.append(found["solution"][:, 0] == 0.0)
    both = np.all(solved, axis=0) & (np.abs(turns[0] - turns[1]).max(axis=1) < 1e-5)
    assert both.sum() > 20
    assert np.all(missed[0][both] < missed[1][both] * 1.01 + 0.01)
