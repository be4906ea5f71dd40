"""States at which pivots like to vanish: zeros, multiples of pi/2, equal joints, huge angles, rest; open and closed."""

from __future__ import annotations

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot
from tests.agreement import States

ANGLES = (0.0, np.pi / 2, -np.pi / 2, np.pi, np.pi / 4, 0.3, -1.0)


def special_positions(robot: Robot, count: int, seed: int = 0) -> np.ndarray:
    """Return zero, then in turn: equal joints, multiples of pi/2, some joints at zero, huge angles, positions amid."""
    rng, found = np.random.default_rng(seed), [robot.neutral()]
    base = 6 if robot.joints[0].type.nv == 6 else 0
    for i in range(count - 1):
        step = (
            np.full(robot.nv, rng.choice(ANGLES)),
            rng.choice(ANGLES[:4], robot.nv),
            rng.choice([0.0, 1.0], robot.nv) * rng.normal(size=robot.nv),
            rng.choice(ANGLES[:4], robot.nv) + 2.0 * np.pi * rng.integers(-1000, 1000, robot.nv),
            rng.normal(scale=1e-9, size=robot.nv),
        )[i % 5]
        step[:base] *= i % 2
        found.append(robot.manifold.retract(robot.neutral(), step))
    return np.array(found)


def special_states(robot: Robot, count: int, seed: int = 0) -> States:
    """Return special positions at rest and in motion, with accelerations or torques of size one, or none."""
    rng, q = np.random.default_rng(seed), special_positions(robot, count, seed)
    moves, pushed = (np.arange(len(q)) % 3 > 0)[:, None], (np.arange(len(q)) % 7 > 0)[:, None]
    qd, u = rng.standard_normal((2, len(q), robot.nv))
    return States(q, moves * qd, pushed * u)


def special_closed_positions(robot: Robot, count: int) -> list[np.ndarray]:
    """Return special positions after closing, which keeps their symmetry; those that do not close are left out."""
    found = []
    for q in special_positions(robot, count):
        try:
            found.append(robot.close_loops(q))
        except InputError:
            continue
    return found
