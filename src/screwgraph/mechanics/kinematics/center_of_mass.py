"""The centre of mass: its position, velocity, acceleration and Jacobian."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.first_moments import moving_mass, total_first_moment
from screwgraph.mechanics.kinematics.jacobians import compute_mass_jacobian
from screwgraph.mechanics.kinematics.kinematic_function import compile_mass_kinematics
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot


@check_arguments
@answered_by(ANSWERS)
def center_of_mass(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return c(q), the centre of mass of all links that move, in the base's frame (m): (..., nq) -> (..., 3).

    The base of a fixed robot does not move, and is left out.

    Of planar mechanisms it is that of all bodies, in the plane z = 0; arrays are (..., n).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link that moves has a mass.
    """

    def expression(changed: Robot, q: np.ndarray) -> list:
        mass = moving_mass(changed)
        return list(total_first_moment(changed, q).first * (1.0 / mass))

    return compile_mass_kinematics(
        "center_of_mass", robot, ("q",), expression, (3,), parameters=parameters, payload=payload
    ).astype(dtype)


@check_arguments
@answered_by(ANSWERS)
def center_of_mass_velocity(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return dc/dt(q, qd) of `center_of_mass`, in the base's axes (m/s): (..., nq), (..., nv) -> (..., 3).

    It is the rate of the first moment of mass, over the mass.

    Of planar mechanisms it is that of all bodies, in the plane z = 0; arrays are (..., n).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link that moves has a mass.
    """

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray) -> list:
        mass = moving_mass(changed)
        return list(total_first_moment(changed, q, qd).rates[0] * (1.0 / mass))

    return compile_mass_kinematics(
        "center_of_mass_velocity", robot, ("q", "qd"), expression, (3,), parameters=parameters, payload=payload
    ).astype(dtype)


@check_arguments
@answered_by(ANSWERS)
def center_of_mass_acceleration(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return d2c/dt2(q, qd, qdd) of `center_of_mass`, in the base's axes (m/s^2), dJ/dt qd included.

    Arrays are (..., nq), (..., nv), (..., nv) -> (..., 3). Gravity is not in it.

    Of planar mechanisms it is that of all bodies, in the plane z = 0; arrays are (..., n).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link that moves has a mass.
    """

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list:
        mass = moving_mass(changed)
        return list(total_first_moment(changed, q, qd, qdd).rates[1] * (1.0 / mass))

    made = compile_mass_kinematics(
        "center_of_mass_acceleration",
        robot,
        ("q", "qd", "qdd"),
        expression,
        (3,),
        parameters=parameters,
        payload=payload,
    )
    return made.astype(dtype)


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

    def expression(changed: Robot, q: np.ndarray) -> list:
        return compute_mass_jacobian(changed, q).ravel().tolist()

    return compile_mass_kinematics(
        "center_of_mass_jacobian", robot, ("q",), expression, (3, robot.nv), parameters=parameters, payload=payload
    ).astype(dtype)
