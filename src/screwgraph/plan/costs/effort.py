"""Minimum torque."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.formats.yaml_values import Value
from screwgraph.optimize import Factors
from screwgraph.plan.costs.base import weights
from screwgraph.plan.reading import Reading
from screwgraph.plan.steps import Steps
from screwgraph.plan.templates import Chosen


@dataclass(frozen=True, eq=False)
class Effort:
    """weight * integral of the squares of actuated joints' efforts; one weight, or {joint: weight}. Paper 2, V-B."""

    weight: Any = 1.0

    @classmethod
    def read(cls, value: Value, reading: Reading) -> Effort:
        """Read a weight, or {joint: weight}. Raises ModelError."""
        return cls(reading.joints(value))

    def factors(self, steps: Steps, name: str) -> Iterable[Factors]:
        """Return one factor for each sample. Raises InputError."""
        columns, weight = weights(steps.mechanics, self.weight, steps.actuated, "actuated joint")
        yield steps.integral(Chosen(columns), steps.tau, weight=weight, name=name)
