"""What a cost of the last state of a horizon is: its value, its gradient and its Hessian."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from screwgraph.motion.control.predictive.horizon_costs.base import HorizonCost
from screwgraph.motion.control.predictive.stage_model import StageModel
from screwgraph.tape import Number

if TYPE_CHECKING:
    from screwgraph.motion.control.predictive.stage_terms import StageTerms


class TerminalCost(ABC):
    """A cost of the last state z = (q, qd), with numbers of its own or the weights of all states.

    `references` are (q*, qd*), `weights` those numbers, flat; `more` are goals and weights of costs of the horizon.
    """

    def find_shape(self, nv: int) -> tuple[int, ...]:
        """Return the shape of the argument `terminal`; () where there is none, and `weights` are taken."""
        del nv
        return ()

    def check(self, stage: StageModel, costs: Sequence[HorizonCost]) -> None:
        """Raise InputError where a horizon of such stages and costs cannot have it."""
        del stage, costs

    @abstractmethod
    def expand(
        self, terms: StageTerms, references: Any, weights: Any, at: Any, *more: Any
    ) -> tuple[Sequence[Sequence[Number]], Sequence[Number]]:
        """Return H and g of x'H x / 2 + g'x about the state `at`, x = (local coordinates, velocities) (2 nv,).

        Of each row of H the end up to its diagonal that is not zero.
        """

    @abstractmethod
    def measure(self, terms: StageTerms, references: Any, weights: Any, z: Any, *more: Any) -> Number:
        """Return the cost of a state z."""
