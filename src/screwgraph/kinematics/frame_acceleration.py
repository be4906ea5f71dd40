"""Accelerations of frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.motion import motion
from screwgraph.kinematics.query import checked_frame, compiled
from screwgraph.kinematics.references import LOCAL, checked_reference, seen_rate
from screwgraph.robot import Robot
from screwgraph.robot.parameters import GEOMETRY, checked_parameters


@checked
def frame_acceleration(
    robot: Robot, frame: str, *, reference: str = LOCAL, parameters: Sequence[str] = (), dtype: str = "float64"
) -> Function:
    """Return dV/dt(q, qd, qdd) = J qdd + dJ/dt qd of a link or frame: (..., nq), (..., nv)^2 -> (..., 6).

    It is the time derivative of `frame_velocity` with the same `reference`, angular part first (rad/s^2, m/s^2),
    without gravity. "local" and "world" are spatial accelerations; "local_world_aligned" is the angular
    acceleration, and that of the frame's origin as a point, in the base's axes. Lynch & Park, section 8.1.

    With `parameters`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link or frame, or no reference, has this name; a planar mechanism, which has no frames.
    """
    name, way = checked_frame(robot, frame), checked_reference(reference)

    live = checked_parameters("frame_acceleration does not depend on", GEOMETRY, robot, parameters)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list:
        ((T, V, Vdot),) = motion(changed, [name], q, qd, qdd)
        return list(seen_rate(way, T, V, Vdot))

    keep = [name] if name in {link.name for link in robot.links} else []
    made = compiled(
        "frame_acceleration", robot, ("q", "qd", "qdd"), expression, (6,), asked=(name, way), keep=keep, live=live
    )
    return made.astype(dtype)
