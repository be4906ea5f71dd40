"""Forward kinematics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.frame_motion import compute_frame_motion
from screwgraph.mechanics.kinematics.kinematic_function import compile_kinematics, validate_frame
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import GEOMETRY, checked_parameters


@check_arguments
@answered_by(ANSWERS)
def forward_kinematics(
    robot: Robot, frames: str | Iterable[str] | None = None, *, parameters: Sequence[str] = (), dtype: str = "float64"
) -> Function:
    """Return T(q), poses of links and frames in the base's frame: (..., nq) -> (..., 4, 4), or (..., k, 4, 4).

    T = [R p; 0 1] maps coordinates in the frame to those in the base (m); the columns of R are its axes. One name gives
    one pose, several a stack of poses in their order, None the links' as listed in `robot.links`. The base of a robot
    with a floating base is the world. Of closed chains, q are the positions of all joints. Lynch & Park (4.1).

    Of planar mechanisms, frames are bodies (origin in the first point, x toward the second) and points (axes of the
    world), in the plane z = 0; "body:NAME" and "point:NAME" tell them apart.

    With `parameters`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link or frame has one of the names, or none is named.
    """
    one = isinstance(frames, str)
    names = (frames,) if one else tuple(link.name for link in robot.links) if frames is None else tuple(frames)
    if not names:
        raise InputError("no frame is named", fix="give names of links or frames, or None for all links")
    names = tuple(validate_frame(robot, name) for name in names)

    live = checked_parameters("forward_kinematics does not depend on", GEOMETRY, robot, parameters)

    def expression(changed: Robot, q: np.ndarray) -> list:
        return [entry for (T,) in compute_frame_motion(changed, names, q) for entry in T.ravel().tolist()]

    shape = (4, 4) if one else (len(names), 4, 4)
    links = {link.name for link in robot.links}
    keep = [name for name in names if name in links]
    return compile_kinematics(
        "forward_kinematics", robot, ("q",), expression, shape, asked=names, keep=keep, live=live
    ).astype(dtype)
