"""Limits of joint torques, or of actuators' efforts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.motion.planning.limits.base import Box, fill_bounds, make_bound_factors, read_limit
from screwgraph.motion.planning.limits.bernstein import limit_from_start
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors


@dataclass(frozen=True, eq=False)
class EffortLimit:
    """Joint torques, or efforts of actuators, stay within bounds (N m, N).

    `bounds`: None for those of the robot's file, b for +-b, (lower, upper), or {joint or actuator: one of these}. A
    `sigma` makes them soft: they cost half the square of what comes nearer than `threshold`, over sigma. Xie et al.
    (2020), eq. (7).
    """

    bounds: Any = None
    sigma: float | None = None
    threshold: float = 0.0

    read = classmethod(read_limit)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each sample; soft ones for each step that begins without one. Raises InputError."""
        yield from limit_from_start(steps, make_bound_factors(steps.tau[:], self.box(steps), self, name))

    def box(self, steps: TrajectoryUnknowns) -> Box:
        """Return the bounds of all efforts. Raises InputError."""
        drive = steps.drive
        owner = f"robot {steps.mechanics.robot.name!r}"
        return fill_bounds(self.bounds, drive.limits, drive.places, len(drive.labels), "effort", owner, drive.what)
