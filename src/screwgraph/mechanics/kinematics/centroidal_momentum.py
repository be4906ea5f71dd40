"""Momentum about the centre of mass: its value, its matrix and its time derivative."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.composite_bodies import compute_composites
from screwgraph.mechanics.kinematics.first_moments import moving_mass, total_first_moment
from screwgraph.mechanics.kinematics.kinematic_function import compile_mass_kinematics
from screwgraph.mechanics.kinematics.link_poses import poses_in_world
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.mechanics.kinematics.total_momentum import (
    shift_reference_point,
    total_momentum,
    total_momentum_rate,
    transform_momentum,
)
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.spatial import rotation, transform, translation


@check_arguments
@answered_by(ANSWERS)
def centroidal_momentum(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return h(q, qd), momentum about the centre of mass in the base's axes: (..., nq), (..., nv) -> (..., 6).

    Angular part (kg m^2/s) first, then linear (kg m/s); rotors are left out.
    Orin, Goswami & Lee (2013), (20).

    Of planar mechanisms it is that of all bodies, in the plane z = 0; arrays are (..., n).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link that moves has a mass.
    """

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray) -> list:
        mass = moving_mass(changed)
        return list(
            shift_reference_point(total_first_moment(changed, q).first * (1.0 / mass), total_momentum(changed, q, qd))
        )

    return compile_mass_kinematics(
        "centroidal_momentum", robot, ("q", "qd"), expression, (6,), parameters=parameters, payload=payload
    ).astype(dtype)


@check_arguments
@answered_by(ANSWERS)
def centroidal_momentum_matrix(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return A(q), `centroidal_momentum` = A qd: (..., nq) -> (..., 6, nv), angular part first.

    A joint's column is the momentum that all it carries has as one body. Orin, Goswami & Lee (2013), (29).

    Of planar mechanisms it is that of all bodies, in the plane z = 0; arrays are (..., n).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link that moves has a mass.
    """

    def expression(changed: Robot, q: np.ndarray) -> list:
        mass = moving_mass(changed)
        poses, bodies = poses_in_world(changed, q), compute_composites(changed, q)
        centre = total_first_moment(changed, q).first * (1.0 / mass)
        columns = np.zeros((6, changed.nv), dtype=object)
        for joint in changed.joints:
            T, A = poses[joint.child], joint.type.screw_axes(q[changed.q_slices[joint.name]])
            seen = transform(rotation(T), translation(T) - centre)
            for i in range(joint.type.nv):
                place = changed.v_slices[joint.name].start + i
                columns[:, place] = transform_momentum(seen, bodies[joint.child].momentum(A[:, i]))
        return columns.ravel().tolist()

    return compile_mass_kinematics(
        "centroidal_momentum_matrix", robot, ("q",), expression, (6, robot.nv), parameters=parameters, payload=payload
    ).astype(dtype)


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

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list:
        mass = moving_mass(changed)
        return list(
            shift_reference_point(
                total_first_moment(changed, q).first * (1.0 / mass), total_momentum_rate(changed, q, qd, qdd)
            )
        )

    return compile_mass_kinematics(
        "centroidal_momentum_rate", robot, ("q", "qd", "qdd"), expression, (6,), parameters=parameters, payload=payload
    ).astype(dtype)
