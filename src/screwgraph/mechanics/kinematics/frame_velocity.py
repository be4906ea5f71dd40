"""Velocities of frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.frame_motion import compute_frame_motion
from screwgraph.mechanics.kinematics.kinematic_function import compile_kinematics, validate_frame
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.mechanics.kinematics.reference_frames import LOCAL, express_twist, validate_reference
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import GEOMETRY, checked_parameters


@check_arguments
@answered_by(ANSWERS)
def frame_velocity(
    robot: Robot, frame: str, *, reference: str = LOCAL, parameters: Sequence[str] = (), dtype: str = "float64"
) -> Function:
    """Return V(q, qd), the velocity of a link or frame: (..., nq), (..., nv) -> (..., 6), angular part first.

    `reference` "local": the body twist, angular velocity (rad/s) and velocity of the frame's origin (m/s) in its own
    axes. "local_world_aligned": the same two in the base's axes. "world": the spatial twist, whose linear part is the
    velocity of the point of the body at the base's origin. Lynch & Park, section 3.3.2.

    Of planar mechanisms, frames are bodies (origin in the first point, x toward the second) and points (axes of the
    world), in the plane z = 0; "body:NAME" and "point:NAME" tell them apart.

    With `parameters`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link or frame, or no reference, has this name.
    """
    name, way = validate_frame(robot, frame), validate_reference(reference)

    live = checked_parameters("frame_velocity does not depend on", GEOMETRY, robot, parameters)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray) -> list:
        ((T, V),) = compute_frame_motion(changed, [name], q, qd)
        return list(express_twist(way, T, V))

    keep = [name] if name in {link.name for link in robot.links} else []
    made = compile_kinematics(
        "frame_velocity", robot, ("q", "qd"), expression, (6,), asked=(name, way), keep=keep, live=live
    )
    return made.astype(dtype)
