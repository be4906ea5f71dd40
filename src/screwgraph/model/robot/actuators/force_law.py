"""Laws of force as formulas: of the input u and the displacement l."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.model.robot.position_expression import Expression, evaluate, text_of

WORDS = {"u": "u", "l": "l"}
"""The input, and the displacement (rad, m)."""


@dataclass(frozen=True)
class FormulaLaw:
    """A law of force that a formula states, such as `u*(0.02 + 0.1*l) - 300*l`."""

    formula: Expression

    def __call__(self, u: Any, l: Any) -> Any:  # noqa: E741
        """Return the effort (N m, N)."""
        return evaluate(self.formula, {"u": u, "l": l})

    @property
    def text(self) -> str:
        """Print the formula."""
        return text_of(self.formula, WORDS)
