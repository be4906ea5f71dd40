"""Ways between positions on a robot's manifold."""

from __future__ import annotations

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.manifold_functions import compile_on_manifold, position_argument
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot


@check_arguments
@answered_by(ANSWERS)
def difference(robot: Robot, *, dtype: str = "float64") -> Function:
    """Return the displacement dq from one position to another: (..., nq), (..., nq) -> (..., nv).

    `integrate` leads from the first by dq to the second. Rotations go the shorter way; angles of joints count their
    turns, and are just subtracted.

    Of planar mechanisms, the second less the first.

    Raises:
        InputError: what is given is no robot.
    """

    def expression(start: np.ndarray, end: np.ndarray) -> list:
        return list(robot.manifold.difference(start, end))

    arguments = (position_argument("q_from", robot), position_argument("q_to", robot))
    return compile_on_manifold("difference", robot, arguments, expression).astype(dtype)
