"""Accelerations of frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.frame_motion import compute_frame_motion
from screwgraph.mechanics.kinematics.kinematic_function import compile_kinematics, validate_frame
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.mechanics.kinematics.reference_frames import LOCAL, express_twist_rate, validate_reference
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import GEOMETRY, checked_parameters


@check_arguments
@answered_by(ANSWERS)
def frame_acceleration(
    robot: Robot, frame: str, *, reference: str = LOCAL, parameters: Sequence[str] = (), dtype: str = "float64"
) -> Function:
    """Return dV/dt(q, qd, qdd) = J qdd + dJ/dt qd of a link or frame: (..., nq), (..., nv)^2 -> (..., 6).

    It is the time derivative of `frame_velocity` with the same `reference`, angular part first (rad/s^2, m/s^2),
    without gravity. "local" and "world" are spatial accelerations; "local_world_aligned" is the angular
    acceleration, and that of the frame's origin as a point, in the base's axes. Lynch & Park, section 8.1.

    Of planar mechanisms, frames are bodies (origin in the first point, x toward the second) and points (axes of the
    world), in the plane z = 0; "body:NAME" and "point:NAME" tell them apart.

    With `parameters`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link or frame, or no reference, has this name.
    """
    name, way = validate_frame(robot, frame), validate_reference(reference)

    live = checked_parameters("frame_acceleration does not depend on", GEOMETRY, robot, parameters)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list:
        ((T, V, Vdot),) = compute_frame_motion(changed, [name], q, qd, qdd)
        return list(express_twist_rate(way, T, V, Vdot))

    keep = [name] if name in {link.name for link in robot.links} else []
    made = compile_kinematics(
        "frame_acceleration", robot, ("q", "qd", "qdd"), expression, (6,), asked=(name, way), keep=keep, live=live
    )
    return made.astype(dtype)
