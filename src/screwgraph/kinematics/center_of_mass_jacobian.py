"""The Jacobian of the centre of mass."""

from __future__ import annotations

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.jacobians import jacobian_of_mass
from screwgraph.kinematics.moments import moving_mass
from screwgraph.kinematics.query import compiled
from screwgraph.robot import Robot


@checked
def center_of_mass_jacobian(robot: Robot, *, dtype: str = "float64") -> Function:
    """Return J(q), dc/dt = J qd of `center_of_mass`, in the base's axes: (..., nq) -> (..., 3, nv).

    Raises:
        InputError: no link that moves has a mass; a planar mechanism.
    """
    moving_mass(robot)

    def expression(changed: Robot, q: np.ndarray) -> list:
        return jacobian_of_mass(changed, q).ravel().tolist()

    return compiled("center_of_mass_jacobian", robot, ("q",), expression, (3, robot.nv)).astype(dtype)
