"""The last state costs what all others do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from screwgraph.motion.control.predictive.terminal_costs.base import TerminalCost
from screwgraph.tape import Number

if TYPE_CHECKING:
    from screwgraph.motion.control.predictive.stage_terms import StageTerms


@dataclass(frozen=True)
class StateWeights(TerminalCost):
    """Weighted squares, as of all states."""

    def expand(
        self, terms: StageTerms, references: Any, weights: Any, at: Any, *more: Any
    ) -> tuple[Sequence[Sequence[Number]], Sequence[Number]]:
        """Return the Hessian and the gradient."""
        return terms.expand_state(references, weights, at, *more)

    def measure(self, terms: StageTerms, references: Any, weights: Any, z: Any, *more: Any) -> Number:
        """Return the cost of a state."""
        return terms.square(z, references, weights, *more)
