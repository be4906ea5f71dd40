"""Efforts that hold a robot still, as far within their limits as they can be."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot import Robot, constraint_jacobian
from screwgraph.motion.planning.models import Drive

SMALL = 1e-3
"""Part of the largest bound below which others count as if they were so large; what the sum of excesses counts."""


def find_static_efforts(
    robot: Robot,
    drive: Drive,
    q: Float[np.ndarray, " nq"],
    required: Float[np.ndarray, " nv"],
    lower: Float[np.ndarray, " m"],
    upper: Float[np.ndarray, " m"],
) -> Float[np.ndarray, " m"] | None:
    """Return efforts u that hold `required` forces along coordinates, None where none do.

    Where loops, couplings or many actuators leave a choice, required = B u + K' lambda, and excesses, as parts of their
    bounds, are least: first the largest one, then their sum. This is a linear program in u, lambda, each excess, and
    the largest.
    """
    is_shared = len(drive.labels) > len(drive.coordinates)
    if not (robot.is_closed or is_shared):
        return drive.efforts(q[None], required[None])[0]
    from scipy.optimize import linprog

    B = np.stack([-drive.remaining_forces(np.zeros(robot.nv), q, u) for u in np.eye(len(drive.labels))], axis=1)
    K = constraint_jacobian(robot, q)[list(robot.mobility.kept)] if robot.is_closed else np.zeros((0, robot.nv))
    m, most = len(upper), np.concatenate([upper, -lower])
    rows = np.isfinite(most)
    scale = np.maximum(np.abs(most), SMALL * np.abs(most[rows]).max(initial=1.0))
    one, none = np.eye(m), np.zeros((2 * m, len(K)))
    within = np.hstack([np.vstack([one, -one]), none, np.vstack([one, one]) * -scale[:, None], np.zeros((2 * m, 1))])
    largest = np.hstack([np.zeros((m, m + len(K))), one, -np.ones((m, 1))])
    found = linprog(
        np.concatenate([np.zeros(m + len(K)), np.full(m, SMALL / m), [1.0]]),
        A_ub=np.vstack([within[rows], largest]),
        b_ub=np.concatenate([most[rows], np.zeros(m)]),
        A_eq=np.hstack([B, K.T, np.zeros((robot.nv, m + 1))]),
        b_eq=required,
        bounds=[*[(None, None)] * (m + len(K)), *[(0.0, None)] * (m + 1)],
    )
    return found.x[:m] if found.success else None
