"""The A1's trot, checked with Pinocchio at its knots and at ten times finer time."""

import numpy as np
import pinocchio as pin
import pytest

from screwgraph.motion.planning import Planner
from screwgraph.motion.planning.search.relaxation import RECOVERY
from screwgraph.motion.planning.task_files import read_task
from tests.motion.planning.contact_checks import Body, moved
from tests.oracle import to_pin_q, to_pin_v

FRICTION, H = 0.7, 0.01
FEET = ("FR_foot", "RL_foot", "FL_foot", "RR_foot")


@pytest.fixture(scope="module")
def planner():
    return Planner(read_task("a1_trot"))


@pytest.fixture(scope="module")
def trot(planner):
    plan = planner.solve()
    assert plan.converged, plan
    return plan


@pytest.fixture(scope="module")
def body(trot):
    return Body(trot.transcription.task.robot)


@pytest.fixture(scope="module")
def forces(trot):
    """Forces in the base (54 + 1 steps, 4 feet, 3), zero where a foot swings."""
    found = np.zeros((len(trot.t) - 1, 4, 3))
    for i, contact in enumerate(trot.transcription.task.contacts):
        (wrench,) = contact.wrenches(trot.transcription.steps, f"contact {i + 1}")
        found[wrench.samples, i] = trot.values[wrench.unknowns.name]
    return found


def test_it_is_the_problem_of_the_table(trot):
    assert len(trot.t) == 56
    assert np.diff(trot.t) == pytest.approx(H)
    assert [p.steps for p in trot.transcription.steps.phases] == [2, 25, 2, 25, 1]


def test_equations_of_motion_hold_with_the_velocities_differences(trot, body, forces):
    off = []
    for k in range(len(trot.t) - 1):
        qdd = (trot.qd[k + 1] - trot.qd[k]) / H
        loads = [(foot, np.zeros(3), f) for foot, f in zip(FEET, forces[k], strict=True)]
        off.append(body.residual(trot.q[k], trot.qd[k], qdd, trot.tau[k], loads))
        assert moved(body.robot, trot.q[k], H * trot.qd[k + 1]) == pytest.approx(trot.q[k + 1], abs=1e-7)
    assert np.abs(off).max() < 1e-6


def test_equations_of_motion_hold_at_knots_and_drift_by_little_until_the_next(trot, body, forces):
    """Euler's accelerations, forces and efforts stay for a step: what is missing grows from zero to 1.5 N m."""
    worst = np.zeros(10)
    for k in range(len(trot.t) - 1):
        qdd = (trot.qd[k + 1] - trot.qd[k]) / H
        loads = [(foot, np.zeros(3), f) for foot, f in zip(FEET, forces[k], strict=True)]
        for i in range(10):
            s = i / 10.0
            q, qd = moved(body.robot, trot.q[k], s * H * trot.qd[k + 1]), trot.qd[k] + s * H * qdd
            worst[i] = max(worst[i], np.abs(body.residual(q, qd, qdd, trot.tau[k], loads)).max())
    assert worst[0] < 1e-6
    assert (worst[1:] <= 1.01 * worst[9] / 9.0 * np.arange(1, 10)).all()
    assert worst[9] < 2.0


def test_feet_push_within_the_friction_cone(forces):
    normal, sideways = forces[..., 2], np.linalg.norm(forces[..., :2], axis=-1)
    assert normal.min() > -1e-7
    assert (sideways - FRICTION * normal).max() < 1e-6


def test_impulses_of_feet_and_weight_are_the_change_of_momentum(trot, body, forces):
    """Over the whole trot; Euler's rule errs by a part of the weight that is of the order of its step, 1e-2."""
    robot, model, data = body.robot, body.peer.model, body.peer.data
    momentum = [
        pin.computeCentroidalMomentum(model, data, to_pin_q(robot, q, model), to_pin_v(robot, q, qd, model)).linear
        for q, qd in ((trot.q[k], trot.qd[k]) for k in (0, -1))
    ]
    weight = robot.mass * 9.81 * trot.t[-1]
    impulse = H * forces.sum(axis=(0, 1)) - [0.0, 0.0, weight]
    assert momentum[1] - momentum[0] == pytest.approx(impulse, abs=1e-3 * weight)
    assert np.abs(impulse).max() > 10e-3 * weight  # it is no plan at rest


def test_standing_feet_stay_and_swinging_feet_clear_the_ground_at_ten_times_finer_time(trot, body, forces):
    standing = forces.any(axis=2)
    assert standing.sum() == 2 * 4 + 25 * 2 + 2 * 4 + 25 * 2 + 1 * 4
    for k in range(len(trot.t) - 1):
        for s in np.linspace(0.0, 1.0, 11)[:-1]:
            q = moved(body.robot, trot.q[k], s * H * trot.qd[k + 1])
            for i, foot in enumerate(FEET):
                now, before = body.pose(q, foot)[:3, 3], body.pose(trot.q[k], foot)[:3, 3]
                assert now[2] > -2e-4
                if standing[k, i]:
                    assert now == pytest.approx(before, abs=3e-4)


def test_feet_take_steps(trot, body):
    first, last = ({foot: body.pose(trot.q[k], foot)[:3, 3] for foot in FEET} for k in (0, -1))
    for foot, length in zip(FEET, (0.075, 0.075, 0.15, 0.15), strict=True):
        assert last[foot] - first[foot] == pytest.approx([length, 0.0, 0.0], abs=1e-6)
        highest = max(body.pose(q, foot)[2, 3] for q in trot.q)
        assert highest == pytest.approx(0.05, abs=0.01)


def test_the_schedule_comes_nearer_when_the_horizon_moves_along(planner, trot, body):
    after = planner.step(3)
    assert after.converged, after
    assert [p.steps for p in after.transcription.steps.phases] == [24, 2, 25, 4]
    assert after.q[0] == pytest.approx(trot.q[3], abs=1e-9)
    assert np.abs(after.q[:40] - trot.q[3:43]).max() < 2e-3  # then what follows the horizon tells
    for foot in FEET:
        assert body.pose(after.q[-1], foot)[:3, 3] == pytest.approx(body.pose(trot.q[-1], foot)[:3, 3], abs=1e-6)


def test_feet_that_are_measured_in_the_air_come_down_as_stated_and_quaternions_are_normalised(planner, body):
    last, standing = planner.plan, ("FL_foot", "RR_foot")
    q = last.q[1].copy()
    q[2] += 0.01
    q[3:7] *= 1.001
    after = planner.step(q=q)
    assert after.converged, after
    assert any("the foot is 0.01 m from the ground at the start" in words for words in after.relaxed), after.relaxed
    moved = planner.task.robot.manifold.retract(after.q[0], 1e-6 * after.qd[0])
    for foot in standing:
        heights = [body.pose(x, foot)[2, 3] for x in after.q[:4]]
        rate = (body.pose(moved, foot)[2, 3] - heights[0]) / 1e-6
        allowed = 0.01 + (rate + 0.01 / RECOVERY) * after.t[:4]  # critically damped
        assert heights == pytest.approx(allowed * np.exp(-after.t[:4] / RECOVERY), abs=1e-6)


def test_the_schedule_may_end(planner):
    for _ in range(11):
        after = planner.step(5)
        assert after.feasible, after
    assert [p.steps for p in after.transcription.steps.phases] == [55]
