"""Minimum acceleration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.motion.planning.costs.base import make_square_costs, read_weight
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors


@dataclass(frozen=True, eq=False)
class Acceleration:
    """weight * integral of the squares of joint accelerations; one weight, or {joint: weight}."""

    weight: Any = 1.0

    read = classmethod(read_weight)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each sample. Raises InputError."""
        yield from make_square_costs(steps, steps.qdd, self.weight, name)
