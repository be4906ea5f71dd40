"""What a cost of a horizon is: weighted squares of errors, functions of positions and of a goal at each instant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, compile_expression, make_numbered_argument
from screwgraph.mechanics.kinematics.manifold_functions import position_argument
from screwgraph.model.formats.yaml_keys import Entry
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.predictive.state_coordinates import StateCoordinates, complete_position
from screwgraph.tape import Number


class HorizonCost(ABC):
    """dt times the sum over instants of weighted squares of errors e(q, goal); derivatives of e are exact.

    The Hessian is J'W J, of derivatives J of e (Gauss and Newton). What it depends on are fields of a frozen dataclass.
    """

    ENTRY: ClassVar[Entry] = Entry("")
    """Meaning of its entry in a file."""

    @classmethod
    def read_entry(cls, value: Value) -> Self:
        """Return the cost of a file's entry. Raises ModelError."""
        raise value.complaint("files have no such cost")

    @property
    @abstractmethod
    def name(self) -> str:
        """The argument that has its goals at all instants."""

    @property
    def weights_name(self) -> str:
        """The argument that has its weights."""
        return f"{self.name}_weights"

    @property
    @abstractmethod
    def goal_shape(self) -> tuple[int, ...]:
        """The shape of a goal."""

    @property
    @abstractmethod
    def weights_shape(self) -> tuple[int, ...]:
        """The shape of weights, one of each error."""

    def check(self, states: StateCoordinates) -> None:
        """Raise InputError where a model cannot have it."""
        del states

    @abstractmethod
    def errors(self, model: Model, q: Any, goal: Any) -> Sequence[Number]:
        """Return the errors at positions q (nq,) of all coordinates; goals are flat."""

    def list_identities(self, goal: Any) -> list[Number]:
        """Return numbers that vanish where a goal is what it must be, such as R'R - 1; goals are flat."""
        del goal
        return []

    def draw(self, rng: np.random.Generator) -> Float[np.ndarray, "..."]:
        """Return a random goal, of examples."""
        return rng.standard_normal(self.goal_shape)


@dataclass(frozen=True, eq=False)
class CostErrors:
    """Code of the errors of a cost, of positions q of the coordinates that are states."""

    __repr__ = one_line

    coordinates: StateCoordinates
    cost: HorizonCost

    @cached_property
    def code(self) -> Function:
        """Code of q and a goal to the errors."""
        given = (
            position_argument("q", self.coordinates.joints),
            make_numbered_argument("goals", prod(self.cost.goal_shape)),
        )

        def compute(q: Any, goal: Any) -> list[Number]:
            found = list(self.cost.errors(self.coordinates.model, complete_position(self.coordinates, q), goal))
            if len(found) != prod(self.cost.weights_shape):
                raise InputError(
                    f"the cost {self.cost.name!r} has {len(found)} errors",
                    why=f"it has weights of the shape {self.cost.weights_shape}, one of each error",
                )
            return found

        question = self.coordinates.question, self.cost
        return compile_expression("horizon_cost", question, given, compute, branches=True)

    def expand(self, goal: Any, q: Any) -> tuple[list[Number], np.ndarray]:
        """Return errors (k,), and their derivatives by displacements of positions (k, nv)."""
        return list(self.code(q, goal)), np.asarray(self.code.jacobian("q")(q, goal))
