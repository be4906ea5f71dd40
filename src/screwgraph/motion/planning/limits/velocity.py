"""Limits of joint velocities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.motion.planning.limits.base import Box, make_bound_factors, make_bounds, read_limit, symmetric_bounds
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors


@dataclass(frozen=True, eq=False)
class VelocityLimit:
    """Joint velocities stay within bounds (rad/s, m/s).

    `bounds`: None for those of the robot's file, b for +-b, (lower, upper), or {joint: one of these}. A `sigma` makes
    them soft: they cost half the square of what comes nearer than `threshold`, over sigma. Xie et al. (2020), eq. (7).
    """

    bounds: Any = None
    sigma: float | None = None
    threshold: float = 0.0

    read = classmethod(read_limit)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point but the first, where the start is given. Raises InputError."""
        yield from make_bound_factors(steps.qd[steps.free_points], self.box(steps), self, name)

    def box(self, steps: TrajectoryUnknowns) -> Box:
        """Return the bounds of all velocities. Raises InputError."""
        return make_bounds(
            steps.mechanics, self.bounds, lambda joint: symmetric_bounds(joint.limits.velocity), "velocity"
        )
