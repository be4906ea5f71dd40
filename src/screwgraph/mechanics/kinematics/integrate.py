"""Steps along a robot's manifold of positions, and the ways between two positions."""

from __future__ import annotations

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.manifold_functions import (
    compile_on_manifold,
    displacement_argument,
    position_argument,
)
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot


@check_arguments
@answered_by(ANSWERS)
def integrate(robot: Robot, *, dtype: str = "float64") -> Function:
    """Return the position that is reached from q at constant velocities: (..., nq), (..., nv) -> (..., nq).

    The second argument is the displacement `dq`, velocity times time (rad, m): of a floating base a twist (omega, v) in
    its own frame, along whose screw it moves; of quaternions a rotation vector in the child's frame. Quaternions stay
    unit. Loops of closed chains are not closed again: `robot.close_loops` does that. Lynch & Park (3.88).

    Of planar mechanisms, q + dq.

    Raises:
        InputError: what is given is no robot.
    """

    def expression(q: np.ndarray, dq: np.ndarray) -> list:
        return list(robot.manifold.retract(q, dq))

    return compile_on_manifold(
        "integrate", robot, (position_argument("q", robot), displacement_argument(robot)), expression
    ).astype(dtype)


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
