"""An inequality of a factor graph: numbers that are linear in unknowns and stay within bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.graph.factor import Factor
from screwgraph.graph.variable import Key


@dataclass(frozen=True, eq=False)
class Inequality:
    """lower <= residual of `factor` <= upper, row by row, in the residual's units; infinite where there is no bound.

    Bounds are numbers, or the known variable that holds them. What cannot all be kept gives
    way: lower `priority` first.
    """

    __repr__ = one_line

    factor: Factor
    lower: tuple[float, ...] | Key
    upper: tuple[float, ...] | Key
    priority: int = 0

    def __str__(self) -> str:
        """Return the bounds in words."""
        low, up = (str(x.kind) if isinstance(x, Key) else f"{choose(x):g}" for x, choose in self._ends)
        return f"within {low} to {up}, priority {self.priority}"

    @property
    def _ends(self) -> Any:
        return (self.lower, min), (self.upper, max)
