"""The Jacobian of the centre of mass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.jacobians import jacobian_of_mass
from screwgraph.kinematics.moments import check_mass
from screwgraph.kinematics.query import compiled
from screwgraph.robot import Robot
from screwgraph.robot.parameters import MASSES, checked_parameters


@checked
def center_of_mass_jacobian(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return J(q), dc/dt = J qd of `center_of_mass`, in the base's axes: (..., nq) -> (..., 3, nv).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link that moves has a mass; a planar mechanism.
    """
    check_mass(robot)
    live = checked_parameters("center_of_mass_jacobian does not depend on", MASSES, robot, parameters, payload)

    def expression(changed: Robot, q: np.ndarray) -> list:
        return jacobian_of_mass(changed, q).ravel().tolist()

    return compiled("center_of_mass_jacobian", robot, ("q",), expression, (3, robot.nv), live=live).astype(dtype)
