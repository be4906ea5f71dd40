"""Limits of joint positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.model.robot import Joint
from screwgraph.motion.planning.limits.base import Box, Pair, make_bound_factors, make_bounds, read_limit
from screwgraph.motion.planning.mechanics import list_flat_places
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors


@dataclass(frozen=True, eq=False)
class PositionLimit:
    """Joint positions stay within bounds (rad, m); joints with quaternions have none.

    `bounds`: None for those of the robot's file, b for +-b, (lower, upper), or {joint: one of these}. A `sigma` makes
    them soft: they cost half the square of what comes nearer than `threshold`, over sigma. Xie et al. (2020), eq. (7).
    """

    bounds: Any = None
    sigma: float | None = None
    threshold: float = 0.0

    read = classmethod(read_limit)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point but the first, where the start is given. Raises InputError."""
        yield from make_bound_factors(steps.q[steps.free_points], self.box(steps), self, name)

    def box(self, steps: TrajectoryUnknowns) -> Box:
        """Return the bounds of all positions. Raises InputError."""
        lower, upper = make_bounds(steps.mechanics, self.bounds, _of_file, "position")
        bounds = (np.full(steps.mechanics.robot.nq, -np.inf), np.full(steps.mechanics.robot.nq, np.inf))
        for v, q in list_flat_places(steps.mechanics).items():
            bounds[0][q], bounds[1][q] = lower[v], upper[v]
        return bounds


def are_file_limits(limits: Iterable[Any]) -> bool:
    """Whether one of a task's limits keeps all positions, always, within the bounds of the robot's file."""
    return any(isinstance(i, PositionLimit) and i.sigma is None and i.bounds is None for i in limits)


def _of_file(joint: Joint) -> Pair:
    limits = joint.limits
    return (-np.inf if limits.lower is None else limits.lower, np.inf if limits.upper is None else limits.upper)
