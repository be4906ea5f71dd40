"""The order in which constraints determine dependent joints: blocks of rows, each after those that it needs."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.mechanics.dynamics.completion.constraint_block import Block
from screwgraph.model.robot import Robot, constraint_residual, independent_coordinates
from screwgraph.spatial import vanishing
from screwgraph.tape.block_triangular import find_blocks as find_triangular_blocks

CLOSED, OPEN = 2, 3
"""Positions that mobility met, and random ones, at which it is seen what rows depend on."""
ZERO = 1e-9
"""Derivatives below this part of the largest of their row count as zero: axes of files are rounded."""


def find_blocks(robot: Robot) -> tuple[Block, ...]:
    """Return the blocks that determine the dependent coordinates, one after the other.

    The block triangular form of the rows of K that `robot.mobility` keeps: Duff & Reid (1978).
    """
    if not robot.is_closed:
        return ()
    rows = robot.mobility.kept
    dependent = [i for i in range(robot.nv) if i not in set(independent_coordinates(robot))]
    joints = []  # whose coordinates go together
    for joint in robot.joints:
        own = range(robot.v_slices[joint.name].start, robot.v_slices[joint.name].stop)
        joints.append([dependent.index(i) for i in own if i in dependent])
    found = find_triangular_blocks(_pattern(robot, dependent)[list(rows)], joints)
    return tuple(
        Block(robot, tuple(sorted(rows[i] for i in own_rows)), tuple(sorted(dependent[j] for j in columns)))
        for own_rows, columns in found
    )


def _pattern(robot: Robot, coordinates: list[int]) -> Bool[np.ndarray, "rows n"]:
    """Return which coordinates enter the residuals of which rows."""
    rng, found = np.random.default_rng(0), False
    for q in (*robot.mobility.states[:CLOSED], *(robot.random(rng) for _ in range(OPEN))):
        slopes = np.abs(_slopes(robot, q, coordinates))
        least = ZERO * slopes.max(axis=1, keepdims=True)
        found = found | np.isnan(slopes) | (least < slopes)
    return np.asarray(found)


def _slopes(robot: Robot, q: Float[np.ndarray, " nq"], coordinates: list[int]) -> Float[np.ndarray, "rows n"]:
    """Return the derivatives of the residuals, by steps that are imaginary: K is what they are where loops are closed.

    A row that is measured in axes that turn with a joint depends on that joint wherever it is open.
    """
    step, columns = 1e-30, []
    for i in coordinates:
        along = np.zeros(robot.nv, dtype=complex)
        along[i] = step * 1j
        with np.errstate(all="ignore"):
            moved = robot.manifold.retract(q.astype(complex), along)
            columns.append(constraint_residual(robot, moved, None, vanishing).imag / step)
    return np.stack(columns, axis=1)
