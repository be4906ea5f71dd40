"""Minimum time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, soft
from screwgraph.spatial import sqrt


def duration_root(duration: Any) -> Any:
    """Return the root of twice a duration, half of whose square is that duration."""
    return sqrt(2.0 * duration[0])


@dataclass(frozen=True, eq=False)
class Time:
    """weight * the sum of all durations (s), for phases whose durations are free."""

    weight: float = 1.0

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Time:
        """Read a weight. Raises ModelError."""
        return cls(reading.number(value))

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each phase. Raises InputError."""
        if steps.duration is None:
            raise InputError("the time is given", fix="give phases a shortest and a longest duration")
        if not self.weight > 0.0:
            raise InputError(f"a weight is {self.weight!r}", fix="give a positive number")
        yield soft(duration_root, steps.duration, sigma=self.weight**-0.5, name=name)
