"""Geometric Jacobians of frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.jacobians import jacobian_of_frame
from screwgraph.kinematics.query import checked_frame, compiled
from screwgraph.kinematics.references import LOCAL, checked_reference
from screwgraph.robot import Robot
from screwgraph.robot.parameters import GEOMETRY, checked_parameters


@checked
def frame_jacobian(
    robot: Robot, frame: str, *, reference: str = LOCAL, parameters: Sequence[str] = (), dtype: str = "float64"
) -> Function:
    """Return J(q) of a link or frame, `frame_velocity` = J qd with the same `reference`: (..., nq) -> (..., 6, nv).

    Columns are the screw axes of the joints that carry the frame, in its own axes ("local"), about the base's origin
    ("world"), or about its own origin in the base's axes ("local_world_aligned"); angular part first. Those of other
    joints are zero. Of closed chains these are the columns of the spanning tree. Lynch & Park (5.11), (5.18).

    With `parameters`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link or frame, or no reference, has this name; a planar mechanism, which has no frames.
    """
    name, way = checked_frame(robot, frame), checked_reference(reference)

    live = checked_parameters("frame_jacobian does not depend on", GEOMETRY, robot, parameters)

    def expression(changed: Robot, q: np.ndarray) -> list:
        return jacobian_of_frame(changed, name, q, way).ravel().tolist()

    keep = [name] if name in {link.name for link in robot.links} else []
    shape = (6, robot.nv)
    return compiled("frame_jacobian", robot, ("q",), expression, shape, asked=(name, way), keep=keep, live=live).astype(
        dtype
    )
