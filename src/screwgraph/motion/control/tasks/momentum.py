"""Momentum about the centre of mass that follows a given one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.kinematics import centroidal_momentum_matrix, centroidal_momentum_rate
from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.tasks.base import ControlTask, TaskRow, confirm
from screwgraph.tape.sparse_rows import to_sparse_rows


@dataclass(frozen=True)
class MomentumTask(ControlTask):
    """The momentum h (6,) about the centre of mass: angular (kg m^2/s), linear (kg m/s), in the base's axes.

    dh/dt = dh*/dt + damping (h* - h): Orin, Goswami & Lee (2013).

    Args:
        damping: of the error (1/s).
        weight: of the squares of what is missed (N m, N).
    """

    damping: float = 10.0

    KEYS: ClassVar[Keys] = {"momentum": Entry("the momentum about the centre of mass follows a given one", "yes")}

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        return cls(**confirm(entries["momentum"], gains))

    @property
    def gains(self) -> tuple[float, float, float]:
        """No stiffness: what h is the rate of is no position."""
        return 0.0, self.damping, self.weight

    @property
    def usual_name(self) -> str:
        """It is the robot's."""
        return "momentum"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of the momentum and of its rate (6,)."""
        centroidal_momentum_matrix(model)
        return {self.name: (6,), f"{self.name}_rate": (6,)}

    def hold(self, model: Model, q: Float[np.ndarray, " nq"]) -> Mapping[str, Any]:
        """Return none: nothing moves."""
        return dict.fromkeys(self.references(model), np.zeros(6))

    def rows(self, model: Model, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return a row for each component, angular ones first."""
        wanted, rates = references
        A = np.asarray(centroidal_momentum_matrix(model)(q))
        drift = centroidal_momentum_rate(model)(q, qd, np.zeros(model.nv))
        error = np.asarray(wanted) - A @ qd
        columns = zip(to_sparse_rows(A), drift, error, rates, strict=True)
        return [TaskRow(row, d, 0.0, e, rate) for row, d, e, rate in columns]
