"""Potential energy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.first_moments import total_first_moment
from screwgraph.mechanics.kinematics.kinematic_function import compile_kinematics
from screwgraph.mechanics.kinematics.link_poses import base_pose_in_world
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import WEIGHTS, checked_parameters
from screwgraph.spatial import rotation


@check_arguments
@answered_by(ANSWERS)
def potential_energy(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return the potential energy (J) of gravity of all links that move: (..., nq) -> (...).

    It is zero where the centre of mass is at the height of the base's origin. Of planar mechanisms it includes springs,
    and q is (..., n).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: what is given is no model.
    """
    live = checked_parameters("potential_energy does not depend on", WEIGHTS, robot, parameters, payload)

    is_live = any(parameter.kind == "gravity" for parameter in live)

    def expression(changed: Robot, q: np.ndarray) -> list:
        # Passes may turn the base's frame, and gravity with it.
        g = rotation(base_pose_in_world(changed)) @ np.array(changed.gravity) if is_live else np.array(robot.gravity)
        return [-g @ total_first_moment(changed, q).first]

    return compile_kinematics("potential_energy", robot, ("q",), expression, (), live=live).astype(dtype)
