"""Limits along a horizon: efforts are kept, positions and velocities cost what they are beyond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields
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
            section 17.2), and gives way where it cannot.
    """

    effort: Values | None = None
    velocity: Values | None = None
    lower: Values | None = None
    upper: Values | None = None
    penalty: tuple[float, float] = (100.0, 1000.0)

    def __post_init__(self) -> None:
        check_fields(self)
        l1, l2 = self.penalty
        if not (0.0 < l1 < np.inf and 0.0 <= l2 < np.inf):
            raise InputError(
                f"the penalty of the limits is {self.penalty!r}",
                why="it is (l1, l2), finite, l1 positive, l2 from 0 on",
            )

    def efforts(self, robot: Robot, driven: Sequence[int]) -> Float[np.ndarray, " m"]:
        """Return the largest efforts of driven coordinates. Raises InputError."""
        found = expand_values(robot, self.effort, np.abs(robot.limits.effort), "effort")[list(driven)]
        return _check_positive(found, "effort")

    def states(self, robot: Robot) -> tuple[Float[np.ndarray, " 2*nv"], Float[np.ndarray, " 2*nv"]]:
        """Return the bounds of positions and velocities of a robot with as many of both. Raises InputError."""
        own = robot.limits
        speed = _check_positive(expand_values(robot, self.velocity, own.velocity, "velocity"), "velocity")
        lower = expand_values(robot, self.lower, own.lower, "lower")
        upper = expand_values(robot, self.upper, own.upper, "upper")
        if not np.all(lower < upper):
            i = int(np.argmin(lower < upper))
            raise InputError(f"positions have the bounds {lower[i]:g} and {upper[i]:g}", why="there is nothing between")
        return np.concatenate([lower, -speed]), np.concatenate([upper, speed])


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
        try:
            found[:] = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            raise InputError(
                f"{what}: expected a number, {robot.nv} numbers, or numbers by the names of joints, got {values!r}"
            ) from None
    if np.isnan(found).any():
        raise InputError(f"{what}: there are numbers that are none (NaN)")
    return found


def _check_positive(values: Float[np.ndarray, " n"], what: str) -> Float[np.ndarray, " n"]:
    if not np.all(values > 0.0):
        raise InputError(f"{what} of the limits: {values[np.argmin(values > 0.0)]:g}", why="it must be positive")
    return values
