"""Motions that show a robot's parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot

if TYPE_CHECKING:
    from screwgraph.motion.planning.excitation import Excitation


@check_arguments
def excitation(
    robot: Robot,
    parameters: Sequence[str] | None = None,
    *,
    payload: str | None = None,
    period: float = 10.0,
    harmonics: int = 5,
    objective: str = "information",
    velocity: float | None = None,
    acceleration: float | None = None,
    seed: int = 0,
    points: int | None = None,
) -> Excitation:
    """Plan a periodic motion within limits whose torques show a robot's parameters as well as can be, for `identify`.

    Joints move by finite Fourier series, from rest to rest, within the file's limits of position and velocity, which
    hold at all times, and of torque, by the file's parameters. A local search (L-BFGS) begins at a random motion.
    Obstacles, and the robot itself, are not regarded: check `run` with `minimal_distance`. Swevers et al. (1997).

    Args:
        robot: a tree with a fixed base and joints of one coordinate.
        parameters: as for `regressor`, by default all inertias, and armatures and dampings of the file.
        payload: the frame of an unknown body.
        period: of the motion (s).
        harmonics: of the series, 2 or more.
        objective: "information" (the largest determinant of the information matrix), or "condition" (the smallest
            condition number of the equations), with torques relative to their limits.
        velocity: a limit for all joints (rad/s, m/s), beside those of the file.
        acceleration: a limit for all joints (rad/s^2, m/s^2).
        seed: of the random motion.
        points: samples of the motion, by default twenty for each period of the highest harmonic.

    Raises:
        InputError: loops, floating bases, joints without a limit of velocity, or torques that exceed their limits.
    """
    from screwgraph.motion.planning.excitation import OBJECTIVES
    from screwgraph.motion.planning.excitation import excitation as found

    for name, value in (("period", period), ("velocity", velocity), ("acceleration", acceleration)):
        if value is not None and not (value > 0.0 and math.isfinite(value)):
            raise InputError(f"{name} is {value:g}", fix="give a positive number")
    for name, value, least in (("harmonics", harmonics, 2), ("points", points, 2), ("seed", seed, 0)):
        if value is not None and not least <= value <= 10**6:
            raise InputError(f"{name} is {value}", fix=f"give {least} or more, a million at most")
    if objective not in OBJECTIVES:
        raise InputError(f"there is no objective {objective!r}", fix=f"choose one of {', '.join(OBJECTIVES)}")
    fast = None if velocity is None else float(velocity)
    quick = None if acceleration is None else float(acceleration)
    return found(robot, parameters, payload, float(period), harmonics, objective, fast, quick, seed, points)
