"""Where further attempts of inverse kinematics begin."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.kinematics.inverse.problem import InverseProblem

COUNT = 64
"""Starts that are drawn; more attempts begin there again."""
SEED = 2026
SPREAD = 1.0
"""How far (m, rad) coordinates of prismatic joints without limits are drawn."""


def first_start(problem: InverseProblem) -> Float[np.ndarray, " nq"]:
    """Return where the first attempt begins if nobody says: in the middle of limits, loops closed."""
    robot, (lower, upper) = problem.robot, problem.bounds
    q = robot.neutral()
    if robot.is_closed:
        return np.array(robot.mobility.states[0], dtype=float) if len(robot.mobility.states) else q
    for place, low, high in zip(problem.limited, lower, upper, strict=True):
        q[place] = 0.5 * (low + high) if np.isfinite(low + high) else min(max(0.0, low), high)
    return q


def later_starts(problem: InverseProblem) -> Float[np.ndarray, "starts nq"]:
    """Return random positions within limits; of closed chains every second is a closed one, if any are known."""
    robot, (lower, upper) = problem.robot, problem.bounds
    rng, found = np.random.default_rng(SEED), []
    closed = [np.asarray(q, dtype=float) for q in robot.mobility.states] if robot.is_closed else []
    for i in range(COUNT):
        q = robot.random(rng)
        for place, low, high in zip(problem.limited, lower, upper, strict=True):
            q[place] = rng.uniform(low, high) if np.isfinite(high - low) else min(max(q[place], low), high)
        found.append(closed[(i // 2) % len(closed)] if closed and i % 2 == 0 else q)
    return np.array(found).reshape(COUNT, robot.nq)
