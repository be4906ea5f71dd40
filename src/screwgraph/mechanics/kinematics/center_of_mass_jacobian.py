"""The Jacobian of the centre of mass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.first_moments import check_mass
from screwgraph.mechanics.kinematics.jacobians import compute_mass_jacobian
from screwgraph.mechanics.kinematics.kinematic_function import compile_kinematics
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import MASSES, checked_parameters


@check_arguments
@answered_by(ANSWERS)
def center_of_mass_jacobian(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return J(q), dc/dt = J qd of `center_of_mass`, in the base's axes: (..., nq) -> (..., 3, nv).

    Of planar mechanisms it is that of all bodies, in the plane z = 0; arrays are (..., n).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link that moves has a mass.
    """
    check_mass(robot)
    live = checked_parameters("center_of_mass_jacobian does not depend on", MASSES, robot, parameters, payload)

    def expression(changed: Robot, q: np.ndarray) -> list:
        return compute_mass_jacobian(changed, q).ravel().tolist()

    return compile_kinematics("center_of_mass_jacobian", robot, ("q",), expression, (3, robot.nv), live=live).astype(
        dtype
    )
