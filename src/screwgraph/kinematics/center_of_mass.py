"""The centre of mass."""

from __future__ import annotations

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.moments import moving_mass, total
from screwgraph.kinematics.query import compiled
from screwgraph.robot import Robot


@checked
def center_of_mass(robot: Robot, *, dtype: str = "float64") -> Function:
    """Return c(q), the centre of mass of all links that move, in the base's frame (m): (..., nq) -> (..., 3).

    The base of a fixed robot does not move, and is left out.

    Raises:
        InputError: no link that moves has a mass; a planar mechanism.
    """
    mass = moving_mass(robot)

    def expression(changed: Robot, q: np.ndarray) -> list:
        return list(total(changed, q).first * (1.0 / mass))

    return compiled("center_of_mass", robot, ("q",), expression, (3,)).astype(dtype)
