"""Joint velocities at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.goals.base import make_goal_factors
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.models import check_named_once
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.template_wrappers import EntryError
from screwgraph.motion.planning.trajectory_unknowns import Time, TrajectoryUnknowns
from screwgraph.optimize import Factors


@dataclass(frozen=True, eq=False)
class Velocity:
    """Joints move at given velocities (rad/s, m/s): 0, a whole qd (nv,), or {joint: value}; soft with a `sigma`."""

    at: Any = 0.0
    time: Time = "end"
    sigma: float | None = None

    family = "qd"

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Velocity:
        """Read a number, [qd ...] or {joint: qd}. Raises ModelError."""
        return cls(reading.joints(value, reading.robot.nv))

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point of the time. Raises InputError."""
        at = self.at if self.time == "start" else leave_rest_to_loops(steps.mechanics, self.at)
        columns, value = select_velocities(steps.mechanics, at)
        how: Any = {"sigma": self.sigma, "name": f"{name}: velocity", "at": value}
        yield from make_goal_factors(steps, self.time, EntryError(columns), "qd", **how)

    def whole_values(self, mechanics: Mechanics) -> Float[np.ndarray, "*n nv"] | None:
        """Return qd where it is given as a whole. Raises InputError."""
        return None if isinstance(self.at, Mapping) else select_velocities(mechanics, self.at)[1]


def leave_rest_to_loops(mechanics: Mechanics, at: Any) -> Any:
    """Return zeros of independent joints alone where all joints of closed loops are to have zero, else what is given.

    Loops hold the others then: rows that repeat this would differ by what collocation errs.
    """
    robot = mechanics.robot
    if not robot.is_closed or isinstance(at, Mapping) or np.any(at):
        return at
    return dict.fromkeys(robot.independent_joints, 0.0)


def select_velocities(mechanics: Mechanics, at: Any) -> tuple[tuple[int, ...], Float[np.ndarray, " k"]]:
    """Return which coordinates are given, and their values. Raises InputError."""
    nv = mechanics.robot.nv
    if isinstance(at, Mapping):
        check_named_once(mechanics.robot, at)
        columns = [mechanics.coordinates(joint) for joint in at]
        value = np.concatenate([np.zeros(0), *map(_spread, at, at.values(), map(len, columns))])
        _check_finite(value)
        return tuple(c for part in columns for c in part), value
    value = validate_numbers("velocities", at)
    if value.shape[-1:] != (nv,) and value.shape != ():
        raise InputError(
            f"velocities have the shape {value.shape}", why=f"robot {mechanics.robot.name!r} has nv = {nv}"
        )
    _check_finite(value)
    return tuple(range(nv)), np.broadcast_to(value, (*value.shape[:-1], nv))


def _spread(name: str, value: Any, count: int) -> Float[np.ndarray, " k"]:
    """Return the velocities of a joint: one for all its coordinates, or one each."""
    numbers = validate_numbers(f"the velocity of {name!r}", value)
    if numbers.ndim and numbers.shape != (count,):
        raise InputError(f"joint {name!r} has {count} coordinates, not the shape {numbers.shape}")
    return np.broadcast_to(numbers, (count,))


def _check_finite(value: np.ndarray) -> None:
    if not np.isfinite(value).all():
        raise InputError("a velocity is not finite")
