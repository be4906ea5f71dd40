"""Minimum torque."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.motion.planning.costs.base import make_square_costs, read_weight
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors


@dataclass(frozen=True, eq=False)
class Effort:
    """weight * integral of the squares of torques, or of actuators' efforts; one weight, or {joint, actuator: weight}.

    Xie et al. (2020), V-B.
    """

    weight: Any = 1.0

    read = classmethod(read_weight)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each sample. Raises InputError."""
        yield from make_square_costs(steps, steps.tau, self.weight, name, steps.drive.places)
