"""Plans between their points: dynamics and limits at ten times finer time, by code that is not the planner's."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

import screwgraph as sg
from screwgraph.motion.planning import Phase, Plan, read_task

from .oracles import acrobot, cart_pole, drift

pin = pytest.importorskip("pinocchio")
FINER = 10


@cache
def planned(name: str, times: int = 1) -> Plan:
    task = read_task(name)
    phases = tuple(Phase(times * p.steps, p.duration) for p in task.phases)
    plan = sg.plan(replace(task, phases=phases))
    assert plan.converged
    return plan


@cache
def panda():
    from tests.oracle import pinocchio_model

    return pinocchio_model(planned("panda").task.robot)


ACCELERATIONS = {
    "cp2": lambda q, v, u: cart_pole(q, v, u[0]),
    "cp2lim12": lambda q, v, u: cart_pole(q, v, u[0]),
    "acro": lambda q, v, u: acrobot(q, v, u[1]),
    "panda": lambda q, v, u: pin.aba(*panda(), q, v, u),
}


def fine(plan: Plan):
    """Return times, positions, velocities, accelerations and efforts at finer time, by splines through the points."""
    t = np.linspace(plan.t[0], plan.t[-1], FINER * (len(plan.t) - 1) + 1)
    q, v = CubicHermiteSpline(plan.t, plan.q, plan.qd), CubicHermiteSpline(plan.t, plan.qd, plan.qdd)
    tau = np.array([np.interp(t, plan.t, column) for column in plan.tau.T]).T
    return t, q(t), v(t), v(t, 1), tau


@pytest.mark.parametrize(("name", "steps", "most"), [("cp2", 1, 0.01), ("acro", 2, 0.04), ("panda", 2, 0.02)])
@pytest.mark.sampled(3)
def test_the_equations_of_motion_hold_between_points_to_second_order(name, steps, most):
    def residual(times: int) -> float:
        plan = planned(name, times)
        _, q, v, a, tau = fine(plan)
        found = np.array([ACCELERATIONS[name](*state) for state in zip(q, v, tau, strict=True)])
        return float(np.sqrt(np.mean((found - a) ** 2)) / np.sqrt(np.mean(a**2)))

    once, twice = residual(steps), residual(2 * steps)
    assert once < most
    assert once / twice == pytest.approx(4.0, rel=0.3)


@pytest.mark.parametrize("name", ["cp2lim12", "panda"])
@pytest.mark.sampled(2)
def test_integrating_the_efforts_anew_leads_from_state_to_state(name):
    errors = [drift(ACCELERATIONS[name], planned(name, times)) for times in (1, 2)]
    assert errors[0] < 0.05
    assert errors[1] < 0.45 * errors[0]


@pytest.mark.parametrize(("name", "most"), [("cp2lim12", [12.0, 0.0]), ("acro", [0.0, 20.0])])
def test_efforts_stay_within_bounds_between_points(name, most):
    *_, tau = fine(planned(name))
    assert (np.abs(tau) <= np.array(most) + 1e-6).all()


def test_limits_of_the_panda_hold_between_points():
    plan = planned("panda")
    _, q, _, _, tau = fine(plan)
    limits = [j.limits for j in plan.task.robot.joints]
    assert (np.abs(tau) <= np.array([x.effort for x in limits]) + 1e-6).all()
    assert (q >= np.array([x.lower for x in limits]) - 1e-4).all()
    assert (q <= np.array([x.upper for x in limits]) + 1e-4).all()


@pytest.mark.parametrize("times", [1, 2])
def test_velocities_of_the_panda_stay_within_limits_between_points(times):
    """Accelerations of its last joint cost next to nothing, so velocities at their limit would exceed it by 7.6 %."""
    limits = np.array([j.limits.velocity for j in planned("panda").task.robot.joints])
    assert (np.abs(fine(planned("panda", times))[2]) <= (1.0 + 1e-3) * limits).all()


def test_the_panda_reaches_its_pose_and_rests_there_as_pinocchio_sees_it():
    plan, (model, data) = planned("panda"), panda()
    tool = model.getFrameId("panda_hand_tcp")
    poses = []
    for q in (plan.q[-1], np.array([0.6, 0.1, 0.3, -1.9, 0.2, 2.0, 1.2])):
        pin.framesForwardKinematics(model, data, q)
        poses.append(data.oMf[tool].copy())
    assert np.abs(pin.log6(poses[0].actInv(poses[1])).vector).max() < 1e-6
    assert np.abs(plan.qd[-1]).max() < 1e-6
