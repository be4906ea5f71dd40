"""Geometric Jacobians of frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.jacobians import compute_frame_jacobian
from screwgraph.mechanics.kinematics.kinematic_function import compile_frame_kinematics, validate_frame
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.mechanics.kinematics.reference_frames import LOCAL, validate_reference
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot


@check_arguments
@answered_by(ANSWERS)
def frame_jacobian(
    robot: Robot, frame: str, *, reference: str = LOCAL, parameters: Sequence[str] = (), dtype: str = "float64"
) -> Function:
    """Return J(q) of a link or frame, `frame_velocity` = J qd with the same `reference`: (..., nq) -> (..., 6, nv).

    Columns are the screw axes of the joints that carry the frame, in its own axes ("local"), about the base's origin
    ("world"), or about its own origin in the base's axes ("local_world_aligned"); angular part first. Those of other
    joints are zero. Of closed chains these are the columns of the spanning tree. Lynch & Park (5.11), (5.18).

    Of planar mechanisms, frames are bodies (origin in the first point, x toward the second) and points (axes of the
    world), in the plane z = 0; "body:NAME" and "point:NAME" tell them apart.

    With `parameters`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link or frame, or no reference, has this name.
    """
    name, way = validate_frame(robot, frame), validate_reference(reference)

    def expression(changed: Robot, q: np.ndarray) -> list:
        return compute_frame_jacobian(changed, name, q, way).ravel().tolist()

    shape = (6, robot.nv)
    return compile_frame_kinematics(
        "frame_jacobian", robot, ("q",), expression, shape, frame=name, reference=way, parameters=parameters
    ).astype(dtype)
