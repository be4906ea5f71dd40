"""Horizons of legs with loops and rotors on contacts: optima of dense equations of motion with multipliers in NumPy."""

from functools import cache

import numpy as np
import pytest
from tests.motion.control.predictive.test_floating_bases import point_motion
from tests.robots import robot_file

import screwgraph as sg
from screwgraph.model.robot import constraint_jacobian
from screwgraph.motion.control import converge, stack_references, stack_schedule, stack_weights
from screwgraph.motion.control.predictive.foot_places import FootPlaces
from screwgraph.motion.control.predictive.state_coordinates import RobotStates

DT, DRAG, STAGES = 0.02, 10.0, 4
ON = np.array([[1], [0], [0], [1]])
LEG = """
name: parallelogram
base: {link: body, mass: 4, com: [0.01, 0, 0.02], inertia: [0.07, 0.1, 0.13]}
bodies:
  - {link: hip, parent: body, joint: roll, axis: x, at: [0, 0.05, 0], mass: 0.5, inertia: [1e-3, 1.5e-3, 2e-3]}
  - {link: thigh, parent: hip, joint: swing, axis: y, mass: 0.6, com: [0, 0.01, -0.1], inertia: [4e-3, 5e-3, 1e-3]}
  - {link: rotor, parent: body, joint: motor, axis: x, at: [0, -0.05, 0], mass: 0.2, inertia: [4e-5, 3e-5, 3e-5]}
  - {link: crank, parent: hip, joint: lift, axis: y, mass: 0.1, com: [0.02, 0, 0], inertia: [1e-5, 4e-5, 4e-5]}
  - {link: rod, parent: crank, joint: pin, axis: y, at: [0.04, 0, 0], mass: 0.1, com: [0, 0, -0.1],
     inertia: [3e-4, 3e-4, 1e-5]}
  - {link: shank, parent: thigh, joint: knee, axis: y, at: [0, 0, -0.2], mass: 0.3, com: [0, 0, -0.1],
     inertia: [1e-3, 1e-3, 2e-4]}
loops:
  - {loop: closing, axis: y, predecessor: {link: rod, at: [0, 0, -0.2]}, successor: {link: shank, at: [0.04, 0, 0]}}
couplings:
  - {coupling: gear, terms: {motor: 1, roll: -6}}
independent: [roll, swing, lift]
"""
STATES = """
name: states
bodies:
  - {link: a, joint: x}
  - {link: b, joint: y}
  - {link: c, joint: z}
"""


@cache
def leg():
    return sg.load(LEG, base="floating")


def foot():
    return sg.Contact("shank", at=(0.0, 0.0, -0.2), friction=5.0)


class ClosedLeg:
    """Closed positions and accelerations, by Newton's method and multipliers of all loops."""

    def __init__(self, robot):
        self.robot, self.kept = robot, list(robot.mobility.kept)
        self.names = ["roll", "swing", "lift"]
        joints = [robot.joints[0].name, *self.names]
        self.at = [i for name in joints for i in range(robot.nq)[robot.q_slices[name]]]
        self.along = [i for name in joints for i in range(robot.nv)[robot.v_slices[name]]]

    def close(self, y):
        q = self.robot.neutral()
        q[self.at] = y
        return self.robot.close_loops(q, [self.robot.joints[0].name, *self.names])

    def complete(self, q, yd):
        K, free = constraint_jacobian(self.robot, q)[self.kept], np.setdiff1d(np.arange(self.robot.nv), self.along)
        qd = np.zeros(self.robot.nv)
        qd[self.along] = yd
        qd[free] = np.linalg.solve(K[:, free], -K[:, self.along] @ yd)
        return qd

    def accelerate(self, y, yd, u, on):
        """Return ydd and efforts: forces (normal, x, y) of a foot that is on, else the leg's accelerations."""
        robot, n, k = self.robot, self.robot.nv, len(self.kept)
        q = self.close(y)
        qd = self.complete(q, yd)
        K, h = constraint_jacobian(robot, q)[self.kept], 1e-6
        ways = [constraint_jacobian(robot, sg.integrate(robot)(q, s * h * qd))[self.kept] for s in (1.0, -1.0)]
        turned = (ways[0] - ways[1]) @ qd / (2.0 * h)
        J, drift = point_motion(robot, q, qd)
        f = np.roll(u, -1) if on else np.zeros(3)
        B = np.zeros((n, 3))
        B[self.along[6:], range(3)] = 1.0
        A, right = np.zeros((n + k + 3, n + k + 3)), np.zeros(n + k + 3)
        A[:n, :n], A[:n, n : n + k], A[:n, n + k :] = sg.mass_matrix(robot)(q), K.T, -B
        A[n : n + k, :n] = K
        right[:n], right[n : n + k] = J.T @ f - sg.bias_forces(robot)(q, qd), -turned
        A[n + k :, :n] = J if on else B.T
        right[n + k :] = -drift - DRAG * (J @ qd) if on else u
        found = np.linalg.solve(A, right)
        return found[self.along], found[n + k :]


def start():
    y = np.concatenate([[0.0, 0.0, 0.36], [0.05, -0.03, 0.1, 1.0], [0.1, 0.4, -0.6]])
    y[3:7] /= np.linalg.norm(y[3:7])
    return y, 0.3 * np.sin(np.arange(9.0))


@cache
def hop():
    control = sg.mpc(leg(), DT, STAGES, contacts=[foot()], drag=DRAG)
    return control, stack_weights(leg(), position=20.0, velocity=0.5, force=1e-3, acceleration=1e-3)


def hop_cost(u, reference, weights):
    chain, states, weight = ClosedLeg(leg()), sg.load(STATES, base="floating"), 9.81 * leg().mass
    (y, yd), total = start(), 0.0
    for k in range(STAGES + 1):
        errors = np.concatenate([sg.difference(states)(reference[:10], y), yd])
        total += DT * weights[:18] @ errors**2
        if k == STAGES:
            return total
        on = bool(ON[k, 0])
        w = weights[18:21] if on else weights[21:]
        total += DT * w @ (u[k] - np.array([weight * on, 0.0, 0.0])) ** 2
        yd = yd + DT * chain.accelerate(y, yd, u[k], on)[0]
        y = sg.integrate(states)(y, DT * yd)
    return total


def test_a_leg_with_a_loop_and_a_rotor_jumps_as_is_best():
    control, weights = hop()
    y, yd = start()
    reference = np.concatenate([[0.02, 0.0, 0.37, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, -0.7], np.zeros(12)])
    schedule = stack_schedule(control, [foot()], ON)
    found = converge(control, y, yd, np.tile(reference, (STAGES + 1, 1)), weights, contacts=schedule)
    assert found.solution[0] == 0.0
    assert max(found.solution[2:5]) < 1e-8
    accelerations = np.diff(found.states[:, 10:], axis=0) / DT
    assert found.forces is not None
    pairs = zip(found.forces, accelerations, ON[:, 0], strict=True)
    u = np.array([f if on else a[6:] for f, a, on in pairs])
    best = hop_cost(u, reference, weights)
    assert abs(found.solution[1] / best - 1.0) < 1e-7
    rng, size = np.random.default_rng(0), np.abs(u).max()
    for _ in range(4):
        way = rng.standard_normal(u.shape)
        ends = [hop_cost(u + s * 1e-3 * size * way, reference, weights) for s in (1.0, -1.0)]
        curvature = (sum(ends) - 2.0 * best) / (1e-3 * size) ** 2
        assert curvature > 0.0
        assert abs(ends[0] - ends[1]) / (2e-3 * size) < 1e-5 * curvature * size
    ydd, tau = ClosedLeg(leg()).accelerate(y, yd, u[0], True)
    np.testing.assert_allclose(accelerations[0], ydd, atol=1e-6 * np.abs(ydd).max())
    np.testing.assert_allclose(found.tau, tau, atol=1e-6 * np.abs(tau).max())


def test_feet_of_closed_legs_are_where_loops_put_them():
    robot, chain, (y, yd) = leg(), ClosedLeg(leg()), start()
    feet, q = FootPlaces(RobotStates(robot), [foot()]), chain.close(y)
    T = sg.forward_kinematics(robot, "shank")(q)
    np.testing.assert_allclose(feet.find_places(y)[0], T[:3, 3] - 0.2 * T[:3, 2], atol=1e-12)
    J, _ = point_motion(robot, q, chain.complete(q, yd))
    np.testing.assert_allclose(feet.find_slopes(y)[0] @ yd, J @ chain.complete(q, yd), atol=1e-12)


def list_independent(robot):
    """Return the independent joints, and their places in q and qd."""
    names = [name for name in robot.joint_names if name in robot.independent_joints]
    slices = robot.q_slices, robot.v_slices
    return names, *([i for name in names for i in range(robot.nq)[own[name]]] for own in slices)


@pytest.mark.suite
def test_a_quadruped_with_rotors_stands_and_is_pushed():
    robot, legs = sg.load(robot_file("mini_cheetah.urdf"), base="floating"), ("FR", "FL", "HR", "HL")
    feet = [sg.Contact(f"{name}_knee_link", 0.02, friction=0.6, at=(0.0, 0.0, -0.18)) for name in legs]
    names, at, along = list_independent(robot)
    q = robot.neutral()
    for name in legs:
        q[robot.q_slices[f"{name}_abad_to_hip_j"]], q[robot.q_slices[f"{name}_hip_to_knee_j"]] = -0.8, 1.6
    q = robot.close_loops(q, names)
    poses = sg.forward_kinematics(robot, [foot.frame for foot in feet])(q)
    q[2] += 0.02 - (poses[:, :3, 3] - 0.18 * poses[:, :3, 2])[:, 2].min()
    control = sg.mpc(robot, 0.02, 8, contacts=feet)
    weights = stack_weights(
        robot,
        position=[40.0] * 3 + [50.0, 50.0, 400.0] + [2.0] * 12,
        velocity=0.4,
        force=1e-4,
        acceleration=1e-6,
    )
    given = stack_references(control, q[at]), weights, stack_schedule(control, feet)
    plant, previous, way = sg.Simulator(robot, 1e-3, q, contacts=feet), np.zeros(control.arguments[-1].shape), []
    for k in range(60):
        if k == 20:
            blow = plant.qd[along] + 0.3 * np.eye(len(along))[4]
            plant.reset(plant.q, robot.complete_velocity(plant.q, blow))
        tau, *_, previous, solution = control(plant.q[at], plant.qd[along], *given, float(k > 0), previous)
        assert solution[0] in (0.0, 1.0)
        efforts = np.zeros(robot.nv)
        efforts[along[6:]] = tau
        plant.step(efforts, steps=20)
        way.append(plant.q[:3] - q[:3])
    assert np.abs(np.array(way)[:, 2]).max() < 2e-3
    assert np.abs(np.array(way)).max() < 0.03
    assert np.abs(plant.qd[:6]).max() < 0.1
