"""Motions that excite all joints, and the torques that independent dynamics give them."""

from __future__ import annotations

import numpy as np

import screwgraph as sg
from screwgraph.dynamics.completion import Completion
from screwgraph.robot import constraint_jacobian, independent_coordinates, without_loops
from tests.mujoco_oracle import MujocoOracle
from tests.oracle import oracle

FIRST, SECOND = (4 / 5, -1 / 5, 4 / 105, -1 / 280), (8 / 5, -1 / 5, 8 / 315, -1 / 560)
"""Central differences of order 8 of the first and second derivative; that of the point itself is zero here."""


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

    Velocities and accelerations are differences of order 8 on the manifold.
    """
    rng, h, t = np.random.default_rng(seed), 2e-3, np.arange(samples) * dt
    y0 = robot.neutral()
    a, phase = size * rng.standard_normal((3, robot.nq)) / 3.0, rng.uniform(0.0, 2.0 * np.pi, (3, robot.nq))
    w = 2.0 * np.pi * np.array([0.3, 0.7, 1.1])[:, None]

    def positions(at: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        q = y0 + (a * np.sin(w * at[:, None, None] + phase)).sum(axis=1)
        for joint in robot.joints:
            if joint.type.nq > joint.type.nv:
                four = q[:, robot.q_slices[joint.name]][:, -4:]
                q[:, robot.q_slices[joint.name].stop - 4 : robot.q_slices[joint.name].stop] = (
                    four / np.linalg.norm(four, axis=1)[:, None]
                )
        if not robot.is_closed:
            return q
        f = sg.closed_positions(robot)
        places = Completion(robot).independent
        if len(f.arguments) == 1:
            return np.asarray(f(q[:, places]))
        if near is not None:
            return np.asarray(f(q[:, places], near))
        found, guess = np.empty_like(q), robot.neutral()
        for i, y in enumerate(q[:, places]):  # along the motion, in one assembly mode
            guess = found[i] = f(y, guess)
        return found

    q, to = positions(t), sg.difference(robot)
    first, second = np.zeros((2, samples, robot.nv))
    for k, (c1, c2) in enumerate(zip(FIRST, SECOND, strict=True), 1):
        ahead, behind = to(q, positions(t + k * h, q)), to(q, positions(t - k * h, q))
        first, second = first + c1 * (ahead - behind), second + c2 * (ahead + behind)
    return t, q, first / h, second / h**2


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
