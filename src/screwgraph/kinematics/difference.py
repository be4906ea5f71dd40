"""Ways between positions on a robot's manifold."""

from __future__ import annotations

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.manifold import on_manifold, positions
from screwgraph.robot import Robot


@checked
def difference(robot: Robot, *, dtype: str = "float64") -> Function:
    """Return the displacement dq from one position to another: (..., nq), (..., nq) -> (..., nv).

    `integrate` leads from the first by dq to the second. Rotations go the shorter way; angles of joints count their
    turns, and are just subtracted.

    Raises:
        InputError: what is given is no robot.
    """

    def expression(start: np.ndarray, end: np.ndarray) -> list:
        return list(robot.manifold.difference(start, end))

    arguments = (positions("q_from", robot), positions("q_to", robot))
    return on_manifold("difference", robot, arguments, expression).astype(dtype)
