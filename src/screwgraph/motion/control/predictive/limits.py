"""Limits along a horizon: efforts are kept, positions and velocities cost what they are beyond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot
from screwgraph.motion.control.predictive.motors import StageMotors
from screwgraph.motion.control.predictive.named_values import Values, expand_values


@dataclass(frozen=True, eq=False)
class HorizonLimits:
    """Limits of a robot along a horizon; those that are not given are the file's, infinite ones are none.

    Args:
        effort: largest efforts (N m, N) of driven joints, by names of joints, or of actuators, in the units of their
            inputs, by their names; hard: no command is beyond. What only pulls by its file does so with these, too.
        velocity: largest speeds (rad/s, m/s).
        lower: least positions (rad, m).
        upper: largest positions (rad, m).
        penalty: (l1, l2): a position or velocity beyond its bound by e costs l1 e + l2 e^2 / 2 at each instant. The
            bound is kept where it can be if l1 is larger than its multiplier (exact penalty; Nocedal & Wright (2006),
            section 17.2), and gives way where it cannot. Where the first interval is shorter, it is that part of this.
        force: largest normal force of a contact (N); by default three times the robot's weight.
    """

    effort: Values | None = None
    velocity: Values | None = None
    lower: Values | None = None
    upper: Values | None = None
    penalty: tuple[float, float] = (100.0, 1000.0)
    force: float | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        l1, l2 = self.penalty
        if not (0.0 < l1 < np.inf and 0.0 <= l2 < np.inf):
            raise InputError(
                f"the penalty of the limits is {self.penalty!r}",
                why="it is (l1, l2), finite, l1 positive, l2 from 0 on",
            )

    def largest_force(self, weight: float) -> float:
        """Return the largest normal force (N) of a contact of a robot of this weight. Raises InputError."""
        found = 3.0 * weight if self.force is None else self.force
        if not 0.0 < found < np.inf:
            raise InputError(f"force of the limits is {found!r}", why="it must be finite and positive (N)")
        return found

    def efforts(self, motors: StageMotors) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Return the least and the largest efforts. Raises InputError."""
        least, most = motors.bounds
        down, up = (motors.expand(self.effort, own, "effort of the limits") for own in (-least, most))
        pulls, pushes = (least >= 0.0) & (most > 0.0), (most <= 0.0) & (least < 0.0)
        lower, upper = np.where(pulls, least, -down), np.where(pushes, most, up)
        _check_positive(motors.names, np.where(pushes, down, up), "effort")
        for name, a, b in zip(motors.names, lower, upper, strict=True):
            if not a < b:
                raise InputError(f"efforts of {name!r} have the bounds {a:g} and {b:g}", why="there is nothing between")
        return lower, upper

    def states(self, robot: Robot) -> tuple[Float[np.ndarray, " 2*nv"], Float[np.ndarray, " 2*nv"]]:
        """Return the bounds of positions and velocities; positions of floating bases and balls have none.

        Raises:
            InputError: a limit has no sense.
        """
        own = robot.limits
        places, names = robot.v_slices, [joint.name for joint in robot.joints for _ in range(joint.type.nv)]
        speed = expand_values(places, self.velocity, own.velocity, "velocity")
        _check_positive(names, speed, "velocity")
        lower = expand_values(places, self.lower, _list_bounds(robot, own.lower, -np.inf), "lower")
        upper = expand_values(places, self.upper, _list_bounds(robot, own.upper, np.inf), "upper")
        if not np.all(lower < upper):
            i = int(np.argmin(lower < upper))
            raise InputError(
                f"positions of {names[i]!r} have the bounds {lower[i]:g} and {upper[i]:g}",
                why="there is nothing between",
            )
        for joint in robot.joints:
            own_v = robot.v_slices[joint.name]
            if joint.type.nq != joint.type.nv and np.isfinite([lower[own_v], upper[own_v]]).any():
                raise InputError(f"positions of {joint.name!r} have bounds", why="they are no vector")
        return np.concatenate([lower, -speed]), np.concatenate([upper, speed])


def _list_bounds(robot: Robot, bounds: Float[np.ndarray, " nq"], none: float) -> Float[np.ndarray, " nv"]:
    """Return bounds of positions, one a velocity coordinate."""
    found = np.full(robot.nv, none)
    for joint in robot.joints:
        if joint.type.nq == joint.type.nv:
            found[robot.v_slices[joint.name]] = bounds[robot.q_slices[joint.name]]
    return found


def _check_positive(names: Sequence[str], values: Float[np.ndarray, " n"], what: str) -> None:
    """Raise InputError where a value is not positive."""
    for name, value in zip(names, values, strict=True):
        if not value > 0.0:
            raise InputError(
                f"{what} of the limits of {name!r}: {value:g}",
                why="it must be positive",
                fix=f"give a larger {what}, inf for no limit, or none, for that of the robot's file",
            )
