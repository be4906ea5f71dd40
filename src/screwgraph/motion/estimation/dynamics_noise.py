"""How exactly equations of motion hold in estimates: their standard deviations, for each velocity coordinate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.motion.estimation.mechanism_noise import ModelNoise
from screwgraph.motion.estimation.window_rules import effective_inertias
from screwgraph.motion.planning.mechanics import Mechanics

FINEST = 1e-6
"""Least ratio of a law's standard deviation to what the prior of a force adds to it, where forces cancel.

Forces of several contacts on one body may cancel in the laws. Then only priors tell them apart, and normal equations,
which hold the squares of such ratios, would lose these.
"""


def compute_dynamics_sigma(
    mechanics: Mechanics, pushed: Sequence[str], q: Float[np.ndarray, " nq"], dt: float, noise: ModelNoise
) -> Float[np.ndarray, " nv"]:
    """Return standard deviations of the equations of motion (N m, N): accelerations times inertias near q.

    Args:
        mechanics: of the robot.
        pushed: frames with unknown forces.
        q: where the motion begins.
        dt: time between instants (s).
        noise: of the model.
    """
    own = noise.dynamics * effective_inertias(mechanics.robot, q, dt)
    if not pushed:
        return own
    J = generalised_forces(mechanics, pushed, q)
    if np.linalg.matrix_rank(J) == len(J):
        return own
    return np.maximum(own, FINEST * noise.force * np.abs(J).max(axis=0))


def generalised_forces(
    mechanics: Mechanics, frames: Sequence[str], q: Float[np.ndarray, " nq"]
) -> Float[np.ndarray, "k nv"]:
    """Return what unit forces on frames add to the equations of motion, for each frame along each of its axes."""
    robot, efforts = mechanics.robot, mechanics.efforts(frames)
    still, loops = np.zeros(robot.nv), [np.zeros(robot.mobility.rank)] if robot.is_closed else []
    units = np.zeros((1 + 3 * len(frames), len(frames), 6))
    for k in range(3 * len(frames)):
        units[1 + k, k // 3, 3 + k % 3] = 1.0
    needed = np.array([efforts(q, still, still, wrenches, *loops) for wrenches in units])
    return needed[0] - needed[1:]
