"""Centres of mass that follow positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.kinematics import center_of_mass, center_of_mass_acceleration, center_of_mass_jacobian
from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.tasks.base import MotionTask, TaskRow, confirm, make_rows


@dataclass(frozen=True)
class CenterOfMassTask(MotionTask):
    """The centre of mass (3,) (m) in the base's axes."""

    KEYS: ClassVar[Keys] = {"center_of_mass": Entry("the centre of mass follows a position", "yes")}

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        return cls(**confirm(entries["center_of_mass"], gains))

    @property
    def usual_name(self) -> str:
        """It is the robot's."""
        return "center_of_mass"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of the position and of its rates (2, 3)."""
        center_of_mass(model)
        return {self.name: (3,), f"{self.name}_rates": (2, 3)}

    def hold(self, model: Model, q: Float[np.ndarray, " nq"]) -> Mapping[str, Any]:
        """Return references with which the robot stays at q."""
        return {self.name: center_of_mass(model)(q)}

    def rows(self, model: Model, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return a row for each direction."""
        reference, rates = references
        J = center_of_mass_jacobian(model)(q)
        drift = center_of_mass_acceleration(model)(q, qd, np.zeros(model.nv))
        return make_rows(J, drift, list(np.asarray(reference) - center_of_mass(model)(q)), J @ qd, rates)
