"""Limits along a horizon: efforts are kept, positions and velocities cost what they are beyond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot, make_unknown_name_error

Values = float | Sequence[float] | np.ndarray | Mapping[str, float]
"""One number for all, one each, or some by the names of joints."""


@dataclass(frozen=True, eq=False)
class HorizonLimits:
    """Limits of a robot along a horizon; those that are not given are the file's, infinite ones are none.

    Args:
        effort: largest efforts (N m, N) of driven joints; hard: no command is beyond.
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

    def efforts(self, robot: Robot, driven: Sequence[int]) -> Float[np.ndarray, " m"]:
        """Return the largest efforts of driven coordinates. Raises InputError."""
        for name in self.effort if isinstance(self.effort, Mapping) else ():
            if name in robot.joint_names and robot.v_slices[name].start not in driven:
                raise InputError(f"effort of the limits: joint {name!r} has no motor", fix=f"actuated=[{name!r}, ...]")
        found = expand_values(robot, self.effort, np.abs(robot.limits.effort), "effort")
        return _check_positive(robot, found, "effort", driven)[list(driven)]

    def states(self, robot: Robot) -> tuple[Float[np.ndarray, " 2*nv"], Float[np.ndarray, " 2*nv"]]:
        """Return the bounds of positions and velocities; positions of floating bases and balls have none.

        Raises:
            InputError: a limit has no sense.
        """
        own = robot.limits
        speed = expand_values(robot, self.velocity, own.velocity, "velocity")
        _check_positive(robot, speed, "velocity", range(robot.nv))
        lower = expand_values(robot, self.lower, _list_bounds(robot, own.lower, -np.inf), "lower")
        upper = expand_values(robot, self.upper, _list_bounds(robot, own.upper, np.inf), "upper")
        if not np.all(lower < upper):
            i = int(np.argmin(lower < upper))
            raise InputError(
                f"positions of {_name_joint(robot, i)!r} have the bounds {lower[i]:g} and {upper[i]:g}",
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


def expand_values(
    robot: Robot, values: Values | None, others: Float[np.ndarray, " nv"], what: str
) -> Float[np.ndarray, " nv"]:
    """Return a number for each velocity coordinate; `others` where none is given. Raises InputError."""
    found = np.array(others, dtype=float)
    if values is None:
        return found
    if isinstance(values, Mapping):
        for name, value in values.items():
            if name not in robot.joint_names:
                raise make_unknown_name_error("joint", name, robot.joint_names)
            found[robot.v_slices[name]] = value
    else:
        given = validate_numbers(what, values)
        if given.shape not in ((), found.shape):
            raise InputError(
                f"{what}: expected a number, {robot.nv} numbers, or numbers by the names of joints, got {values!r}"
            )
        found[:] = given
    if np.isnan(found).any():
        raise InputError(f"{what}: there are numbers that are none (NaN)")
    return found


def _check_positive(
    robot: Robot, values: Float[np.ndarray, " nv"], what: str, driven: Sequence[int]
) -> Float[np.ndarray, " nv"]:
    """Return the values, of which those of the coordinates in `driven` must be positive. Raises InputError."""
    for i in driven:
        if not values[i] > 0.0:
            raise InputError(
                f"{what} of the limits of {_name_joint(robot, i)!r}: {values[i]:g}",
                why="it must be positive",
                fix=f"HorizonLimits({what}=...): the file's where none is given, inf for no limit",
            )
    return values


def _name_joint(robot: Robot, i: int) -> str:
    """Return the name of the joint of a velocity coordinate."""
    return next(joint.name for joint in robot.joints if i in range(robot.nv)[robot.v_slices[joint.name]])
