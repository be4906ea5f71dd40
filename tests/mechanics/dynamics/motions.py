"""Random states of robots, closed ones where there are loops."""

from __future__ import annotations

import numpy as np

import screwgraph as sg
from screwgraph.model.robot import closed_states, constraint_jacobian, independent_coordinates


def motions(robot: sg.Robot, count: int) -> tuple[np.ndarray, ...]:
    """Return positions, velocities and accelerations; of closed chains those of the independent coordinates."""
    rng = np.random.default_rng(0)
    if not robot.is_closed:
        return np.array([robot.random(rng) for _ in range(count)]), *rng.standard_normal((2, count, robot.nv))
    free, kept = independent_coordinates(robot), list(robot.mobility.kept)
    follow = np.setdiff1d(np.arange(robot.nv), free)
    found = [
        q
        for q in closed_states(robot, count)
        if np.linalg.svd(constraint_jacobian(robot, q)[kept][:, follow], compute_uv=False).min(initial=1.0) > 1e-3
    ]
    return np.array(found), *rng.standard_normal((2, len(found), len(free)))
