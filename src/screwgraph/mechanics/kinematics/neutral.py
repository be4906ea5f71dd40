"""Neutral positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.mechanics.kinematics.manifold_functions import validate_shape
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot


@check_arguments
@answered_by(ANSWERS)
def neutral(robot: Robot, shape: int | Sequence[int] = ()) -> Float[np.ndarray, "... nq"]:
    """Return the neutral position, (..., nq) with `shape` in front: no joint moved, quaternions (0, 0, 0, 1).

    A floating base is where the file draws it: at `robot.T_wb` before the base was made to float. Limits are not
    regarded. Loops of closed chains need not close there: `robot.close_loops` finds a position nearby where they do.

    Of planar mechanisms it is the assembled position (n,).

    Raises:
        InputError: what is given is no robot, or the shape is none.
    """
    return np.tile(robot.neutral(), (*validate_shape(shape), 1))
