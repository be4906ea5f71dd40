"""Joints that can move without inertia, as loops and couplings let them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.closure.constraints import constraint_jacobian
from screwgraph.model.robot.closure.mobility import RANK
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import null_space

IDLE = 1e-12
"""Inertia of a motion, relative to the largest, below which it has none."""
TAKES_PART = 1e-6


def idle_joints(
    robot: Robot, q: Float[np.ndarray, " nq"], M: Float[np.ndarray, "nv nv"], joints: Sequence[str]
) -> tuple[str, ...]:
    """Return which of some joints take part in motions of these alone that have no inertia.

    Args:
        robot: a tree, or a robot whose loops are closed at q.
        q: a position.
        M: mass matrix of the tree there.
        joints: names of joints; the others rest.
    """
    slices = [robot.v_slices[name] for name in joints]
    places = np.concatenate([np.arange(s.start, s.stop) for s in slices]) if joints else np.zeros(0, int)
    N = null_space(constraint_jacobian(robot, q)[list(robot.mobility.kept)][:, places], least=RANK)
    values, vectors = np.linalg.eigh(N.T @ M[np.ix_(places, places)] @ N)
    idle = N @ vectors[:, values <= IDLE * max(values.max(initial=0.0), 1e-300)]
    moving = set(places[np.abs(idle).max(axis=1, initial=0.0) > TAKES_PART].tolist())
    return tuple(n for n, s in zip(joints, slices, strict=True) if moving & set(range(s.start, s.stop)))
