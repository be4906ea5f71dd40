"""Potential energy: where it is least, a robot is in stable equilibrium."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics import potential_energy
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.models import find_model_kind
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, cost


@dataclass(frozen=True)
class EnergyOverTime:
    """Potential energy times a duration."""

    energy: Function

    def __call__(self, q: Any, *, weight: Any, h: Any) -> Any:
        """Return weight * energy * h (J s)."""
        return weight * h * self.energy.program.on(list(q))[0]


@dataclass(frozen=True, eq=False)
class Potential:
    """weight * integral of the potential energy (J) over time; of planar mechanisms that of springs, too."""

    weight: float = 1.0

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Potential:
        """Read a weight. Raises ModelError."""
        return cls(reading.number(value))

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each sample. Raises InputError."""
        if not self.weight > 0.0:
            raise InputError(f"a weight is {self.weight!r}", fix="give a positive number")
        mechanics = steps.mechanics
        model = find_model_kind(mechanics.robot).model(mechanics.robot)
        template = mechanics.get_or_make("potential", lambda: EnergyOverTime(potential_energy(model)))
        made, unknowns, timing = steps.scale_by_duration(
            template, steps.q[steps.points], phases=steps.phase_of_sample, scale=steps.weights
        )
        yield cost(made, *unknowns, name=name, weight=self.weight, **timing)
