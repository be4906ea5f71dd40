"""The time derivative of momentum about the centre of mass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.first_moments import check_mass, moving_mass, total_first_moment
from screwgraph.mechanics.kinematics.kinematic_function import compile_kinematics
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.mechanics.kinematics.total_momentum import shift_reference_point, total_momentum_rate
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import MASSES, checked_parameters


@check_arguments
@answered_by(ANSWERS)
def centroidal_momentum_rate(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return dh/dt(q, qd, qdd) of `centroidal_momentum`: (..., nq), (..., nv), (..., nv) -> (..., 6).

    Angular part (N m) first, then linear (N): what gravity, contacts and the base's support add up to.

    Of planar mechanisms it is that of all bodies, in the plane z = 0; arrays are (..., n).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link that moves has a mass.
    """
    check_mass(robot)

    live = checked_parameters("centroidal_momentum_rate does not depend on", MASSES, robot, parameters, payload)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list:
        mass = moving_mass(changed)
        return list(
            shift_reference_point(
                total_first_moment(changed, q).first * (1.0 / mass), total_momentum_rate(changed, q, qd, qdd)
            )
        )

    return compile_kinematics(
        "centroidal_momentum_rate", robot, ("q", "qd", "qdd"), expression, (6,), live=live
    ).astype(dtype)
