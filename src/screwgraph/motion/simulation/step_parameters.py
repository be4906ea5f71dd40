"""Parameters of a model that are inputs of a time step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS, Function
from screwgraph.model import Model
from screwgraph.motion.simulation.model_dynamics import dynamics_of


@dataclass(frozen=True, eq=False)
class StepValues:
    """Values of the parameters of a step: `vector` (k,), or (B, k) one row a motion, and `carried`, made of it."""

    __repr__ = one_line

    step: Function
    names: tuple[str, ...]
    payload: str | None
    vector: Float[np.ndarray, "*B k"]
    carried: Float[np.ndarray, "*B m"]

    @classmethod
    def from_values(cls, step: Function, names: Sequence[str], payload: str | None, values: Any) -> StepValues:
        """Make them of values by name, or of a whole vector. Raises InputError."""
        exact = step if step.dtype == "float64" else step.astype("float64")
        given = values if isinstance(values, Mapping) else validate_numbers("parameters", values)
        size = sum(len(a.names) for a in step.arguments if a.name == PARAMETERS)
        if not isinstance(given, Mapping) and (given.ndim not in (1, 2) or given.shape[-1] != size):
            raise InputError(
                f"parameters have the shape {given.shape}",
                why=f"{size} numbers are inputs of a step, for all motions or one row a motion",
                fix=f"give ({size},), (B, {size}), or values by name",
            )
        bound = exact.with_parameters(given)
        if bound.parameters.ndim > 2:
            raise InputError(
                f"parameters have the shape {bound.parameters.shape}",
                why="they are the same for all motions, or one row a motion",
                fix=f"give values (B, k) whose rows are together (B, {size})",
            )
        if not np.isfinite(bound.parameters).all():
            raise InputError("values of parameters are not finite")
        return cls(step, tuple(names), payload, bound.parameters, bound.carried)

    @property
    def count(self) -> int:
        """For how many motions they are; 1 where they are the same for all."""
        return len(self.vector) if self.vector.ndim == 2 else 1

    def row(self, i: int) -> Float[np.ndarray, " k"]:
        """Return the values of motion i."""
        return self.vector[min(i, len(self.vector) - 1)] if self.vector.ndim == 2 else self.vector

    def model(self, model: Model, i: int) -> Model:
        """Return the model with the values of motion i, without springs along joints."""
        return dynamics_of(model).at_values(self.names, self.payload, self.row(i))
