"""Motions that excite all joints, and the torques that independent dynamics give them."""

from __future__ import annotations

import numpy as np

import screwgraph as sg
from screwgraph.mechanics.dynamics.completion import Completion
from screwgraph.mechanics.dynamics.regressor import linear_parameters
from screwgraph.model.robot import constraint_jacobian, independent_coordinates, without_loops
from screwgraph.model.robot.parameters import parameters_of
from screwgraph.motion.simulation.closure_code import jacobian_code
from tests.mujoco_oracle import MujocoOracle
from tests.oracle import oracle

FIRST, SECOND = (4 / 5, -1 / 5, 4 / 105, -1 / 280), (8 / 5, -1 / 5, 8 / 315, -1 / 560)
"""Central differences of order 8 of the first and second derivative; that of the point itself is zero here."""
SIXTH = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
"""Places and weights of central differences of order 6."""


def fourier(n: int, samples: int, dt: float, seed: int = 0, size: float = 0.4) -> tuple[np.ndarray, ...]:
    """Return t, q, qd, qdd of n joints, each a sum of five sines."""
    rng, t = np.random.default_rng(seed), np.arange(samples) * dt
    q, qd, qdd = np.zeros((3, samples, n))
    for k in range(1, 6):
        w, (a, b) = 2.0 * np.pi * 0.1 * k, rng.uniform(-size, size, (2, n))
        sine, cosine = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
        q += sine * a + cosine * b
        qd += w * (cosine * a - sine * b)
        qdd -= w * w * (sine * a + cosine * b)
    return t, q, qd, qdd


def mujoco_torques(robot: sg.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return torques (N, nv) by MuJoCo's mass matrices and bias forces."""
    M, bias = MujocoOracle(robot).equations(q, qd)
    return (M @ qdd[:, :, None])[:, :, 0] + bias


def smooth(robot: sg.Robot, samples: int, dt: float, seed: int = 0, size: float = 0.3) -> tuple[np.ndarray, ...]:
    """Return t, q, qd, qdd of any robot whose independent coordinates are sums of three sines, loops closed.

    Those of independent coordinates are differences of order 8 on the manifold; K qd = 0 and K qdd = -Kd qd have the
    others, which differences of positions would miss beside singular positions.
    """
    rng, h, t = np.random.default_rng(seed), 2e-3, np.arange(samples) * dt
    y0 = robot.neutral()
    a, phase = size * rng.standard_normal((3, robot.nq)) / 3.0, rng.uniform(0.0, 2.0 * np.pi, (3, robot.nq))
    w = 2.0 * np.pi * np.array([0.3, 0.7, 1.1])[:, None]

    def unclosed(at: np.ndarray) -> np.ndarray:
        q = y0 + (a * np.sin(w * at[:, None, None] + phase)).sum(axis=1)
        for joint in robot.joints:
            if joint.type.nq > joint.type.nv:
                four = q[:, robot.q_slices[joint.name]][:, -4:]
                q[:, robot.q_slices[joint.name].stop - 4 : robot.q_slices[joint.name].stop] = (
                    four / np.linalg.norm(four, axis=1)[:, None]
                )
        return q

    q, to = unclosed(t), sg.difference(robot)
    first, second = np.zeros((2, samples, robot.nv))
    for k, (c1, c2) in enumerate(zip(FIRST, SECOND, strict=True), 1):
        ahead, behind = to(q, unclosed(t + k * h)), to(q, unclosed(t - k * h))
        first, second = first + c1 * (ahead - behind), second + c2 * (ahead + behind)
    first, second = first / h, second / h**2
    return (t, *followed(robot, q, first, second)) if robot.is_closed else (t, q, first, second)


def followed(robot: sg.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return q, qd, qdd of which dependent coordinates follow the independent ones, in one assembly mode."""
    f, places = sg.closed_positions(robot), Completion(robot).independent
    closed, guess, e = np.empty_like(q), robot.neutral(), 1e-4
    for i, y in enumerate(q[:, places]):
        guess = closed[i] = f(y) if len(f.arguments) == 1 else f(y, guess)
    free = independent_coordinates(robot)
    others = np.setdiff1d(np.arange(robot.nv), free)
    jacobian, step = jacobian_code(robot), sg.integrate(robot)

    def K(at: np.ndarray) -> np.ndarray:
        return np.asarray(jacobian(at)).reshape(len(at), -1, robot.nv)

    def with_others(x: np.ndarray, right: np.ndarray) -> np.ndarray:
        x, own = x.copy(), K(closed)
        right = right - np.einsum("Nri,Ni->Nr", own[:, :, free], x[:, free])
        x[:, others] = np.linalg.solve(own[:, :, others], right[:, :, None])[:, :, 0]
        return x

    qd = with_others(qd, np.zeros((len(q), len(others))))
    Kd = sum(c * (K(step(closed, k * e * qd)) - K(step(closed, -k * e * qd))) for k, c in SIXTH) / e
    return closed, qd, with_others(qdd, -np.einsum("Nri,Ni->Nr", Kd, qd))


def projected_torques(robot: sg.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return torques of the independent coordinates (N, n) by Pinocchio's tree: N'(M qdd + h), K N = 0."""
    M, h = oracle(without_loops(robot)).equations(q, qd)
    tau = (M @ qdd[:, :, None])[:, :, 0] + h
    if not robot.is_closed:
        return tau
    free, kept = independent_coordinates(robot), list(robot.mobility.kept)
    found = np.empty((len(q), len(free)))
    for i, x in enumerate(q):
        K = constraint_jacobian(robot, x)[kept]
        N = np.linalg.svd(K)[2][len(kept) :].T
        found[i] = np.linalg.inv(N[free]).T @ N.T @ tau[i]
    return found


def truth_of(robot: sg.Robot, found) -> np.ndarray:
    """Return the combinations of the file's parameters, all in which torques are linear."""
    own = parameters_of(robot, linear_parameters(robot))
    return found.base.map @ np.concatenate([parameter.nominal(robot) for parameter in own])
