"""Closed chains by projection: Pinocchio's tree, and what the constraints leave of it. No graph, no elimination."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from screwgraph.model.robot import Robot, closed_states, constraint_jacobian, independent_coordinates, without_loops
from tests.oracle import oracle

DIFFERENCES = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
"""Central differences of eighth order."""
STEP = 1e-3


class Motion(NamedTuple):
    """A batch of states that keep the loops closed, efforts at the independent joints, accelerations that follow."""

    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray
    qdd: np.ndarray


def motion(robot: Robot, count: int, seed: int = 0, everywhere: bool = False) -> Motion:
    """Return random motions; efforts may act `everywhere`."""
    rng = np.random.default_rng(seed)
    forward = projected(robot)
    driven = np.isin(np.arange(robot.nv), [*range(robot.nv)] if everywhere else independent_coordinates(robot))
    rows = []
    for q in closed_states(robot, count, seed=seed):
        K, v = constraint_jacobian(robot, q), rng.standard_normal(robot.nv)
        v = v - np.linalg.pinv(K, rcond=1e-9) @ (K @ v)
        tau = np.where(driven, rng.standard_normal(robot.nv), 0.0)
        rows.append((q, v, tau, forward(q, v, tau)))
    return Motion(*(np.array(column) for column in zip(*rows, strict=True)))


def projected(robot: Robot) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """Return qdd(q, qd, tau): K qdd = -dK/dt qd, and N' (M qdd + h - tau) = 0 with N the null space of K."""
    tree, rank = oracle(without_loops(robot)), robot.mobility.rank

    def forward(q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        K = constraint_jacobian(robot, q)
        N = np.linalg.svd(K)[2][rank:].T
        start = -np.linalg.pinv(K, rcond=1e-9) @ rate_of_constraints(robot, q, qd)
        M, h = tree.mass_matrix(q), tree.bias_forces(q, qd)
        return start + N @ np.linalg.solve(N.T @ M @ N, N.T @ (tau - h - M @ start))

    return forward


def rate_of_constraints(robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return dK/dt qd, by differences along the motion."""
    total = np.zeros(len(constraint_jacobian(robot, q)))
    for i, weight in enumerate(DIFFERENCES, start=1):
        ahead, behind = (constraint_jacobian(robot, robot.manifold.retract(q, s * i * STEP * qd)) @ qd for s in (1, -1))
        total = total + weight * (ahead - behind)
    return total / STEP
