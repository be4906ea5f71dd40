"""Horizons of legs with more joints than their contact needs: optima of dense equations of motion in NumPy."""

from functools import cache

import numpy as np
import pytest
from tests.motion.control.predictive.test_floating_bases import link, point_motion
from tests.suites import in_suites

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, Robot, tree
from screwgraph.model.robot.joints import Floating, Revolute
from screwgraph.motion.control import converge, stack_schedule, stack_weights
from screwgraph.spatial import from_xyz_rpy

DT, DRAG, STAGES = 0.02, 10.0, 5
ON = np.array([[1], [1], [0], [0], [1]])
AXES = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.2, 1.0, 0.1), (1.0, 0.1, 0.3)]


@cache
def hopper(joints: int) -> Robot:
    """A body on a leg of many joints, with a wheel on top."""
    names = [*(f"link{i}" for i in range(joints - 1)), "shank"]
    links = [Link("world"), link("body", 4.0, 0.3), *(link(name, 0.5, 0.15) for name in names), link("wheel", 0.5, 0.3)]
    places = [[0.0, 0.05, 0.0], [0.0, 0.03, 0.0], *[[0.0, 0.01, -0.15]] * (joints - 2)]
    parents = ["body", *names[:-1]]
    legs = [
        Joint(f"joint{i}", Revolute(AXES[i]), a, b, from_xyz_rpy(place, np.zeros(3)))
        for i, (a, b, place) in enumerate(zip(parents, names, places, strict=True))
    ]
    wheel = Joint("spin", Revolute((0.3, 1.0, 0.0)), "body", "wheel", from_xyz_rpy([0.0, 0.0, 0.1], np.zeros(3)))
    return tree("hopper", links, [Joint("base", Floating(), "world", "body"), *legs, wheel])


def start(joints):
    q = np.concatenate([[0.0, 0.0, 0.45], [0.05, -0.03, 0.1, 1.0], [0.1, 0.6, -0.9, 0.5, 0.2][:joints], [0.0]])
    q[3:7] /= np.linalg.norm(q[3:7])
    return q, 0.3 * np.sin(np.arange(joints + 7.0))


def foot():
    return sg.Contact("shank", at=(0.0, 0.0, -0.2), friction=5.0)


def free_axes(J, near):
    """Return orthonormal axes (m, m - k) of what does not move a contact, as those of another position are."""
    own = (np.eye(J.shape[1]) - np.linalg.pinv(J) @ J) @ near
    U, _, Vt = np.linalg.svd(own, full_matrices=False)
    return U @ Vt


@cache
def near(joints):
    J = point_motion(hopper(joints), *start(joints))[0][:, 6 : 6 + joints]
    return np.linalg.svd(J)[2][3:].T


def accelerate(robot, q, v, u, on):
    """Return qdd and efforts: of a foot that is on, u are forces (normal, x, y) and accelerations along free axes."""
    n, m = robot.nv, robot.nv - 7
    M, h = sg.mass_matrix(robot)(q), sg.bias_forces(robot)(q, v)
    J, drift = point_motion(robot, q, v)
    f = np.roll(u[:3], -1) if on else np.zeros(3)
    rows, right = np.zeros((n, n)), np.zeros(n)
    rows[:6], right[:6] = M[:6], (J.T @ f - h)[:6]
    leg = slice(6, 6 + m)
    rows[leg, leg], right[leg] = np.eye(m), u[:m]
    if on:
        rows[6:9], right[6:9] = J, -drift - DRAG * (J @ v)
        rows[9 : 6 + m, leg] = free_axes(J[:, leg], near(m)).T
    rows[-1, -1], right[-1] = 1.0, u[m]
    qdd = np.linalg.solve(rows, right)
    return qdd, (M @ qdd + h - J.T @ f)[6:]


@cache
def hop(joints):
    control = sg.mpc(hopper(joints), DT, STAGES, contacts=[foot()], drag=DRAG)
    return control, stack_weights(hopper(joints), position=20.0, velocity=0.5, force=1e-3, acceleration=1e-3)


def hop_cost(joints, u, reference, weights):
    robot, (q, v), total = hopper(joints), start(joints), 0.0
    n, m = robot.nv, joints + 1
    for k in range(STAGES + 1):
        errors = np.concatenate([sg.difference(robot)(reference[: robot.nq], q), v])
        total += DT * weights[: 2 * n] @ errors**2
        if k == STAGES:
            return total
        on = bool(ON[k, 0])
        wanted = np.zeros(m)
        wanted[0] = 9.81 * robot.mass * on
        w = np.where(np.arange(m) < 3 * on, weights[2 * n : 2 * n + m], weights[2 * n + m :])
        total += DT * w @ (u[k] - wanted) ** 2
        v = v + DT * accelerate(robot, q, v, u[k], on)[0]
        q = sg.integrate(robot)(q, DT * v)
    return total


@pytest.mark.parametrize("joints", [4, in_suites(5)])
def test_a_leg_with_joints_to_spare_jumps_as_is_best(joints):
    """No limit is active: the slope of the cost along each input is zero, which dense equations say."""
    robot, (control, weights), (q, v) = hopper(joints), hop(joints), start(joints)
    n, m = robot.nv, joints + 1
    reference = np.concatenate([[0.02, 0.0, 0.47, 0.0, 0.0, 0.0, 1.0], 0.9 * q[7:], np.zeros(n + m)])
    schedule = stack_schedule(control, [foot()], ON)
    found = converge(control, q, v, np.tile(reference, (STAGES + 1, 1)), weights, contacts=schedule)
    assert found.solution[0] == 0.0
    assert max(found.solution[2:5]) < 1e-8
    assert found.forces is not None
    accelerations, u = np.diff(found.states[:, robot.nq :], axis=0) / DT, []
    for state, qdd, f, on in zip(found.states, accelerations, found.forces, ON[:, 0], strict=False):
        leg = slice(6, 6 + joints)
        axes = free_axes(point_motion(robot, state[: robot.nq], state[robot.nq :])[0][:, leg], near(joints))
        u.append(np.concatenate([f, axes.T @ qdd[leg], qdd[-1:]]) if on else qdd[6:])
    u = np.array(u)
    best = hop_cost(joints, u, reference, weights)
    assert abs(found.solution[1] / best - 1.0) < 1e-9
    rng, size = np.random.default_rng(0), np.abs(u).max()
    for _ in range(6):
        way = rng.standard_normal(u.shape)
        h = 1e-4 * size
        ends = [hop_cost(joints, u + s * h * way, reference, weights) for s in (1.0, -1.0)]
        curvature = (sum(ends) - 2.0 * best) / h**2
        assert curvature > 0.0
        assert abs(ends[0] - ends[1]) / (2.0 * h) < 1e-5 * curvature * size  # its zero is 1e-5 of the inputs away
    qdd, tau = accelerate(robot, q, v, u[0], True)
    np.testing.assert_allclose(accelerations[0], qdd, atol=1e-6 * np.abs(qdd).max())
    np.testing.assert_allclose(found.tau, tau, atol=1e-6 * np.abs(tau).max())
