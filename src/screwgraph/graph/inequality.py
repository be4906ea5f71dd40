"""An inequality of a factor graph: numbers that are linear in unknowns and stay within bounds."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.graph.factor import Factor


@dataclass(frozen=True, eq=False)
class Inequality:
    """lower <= residual of `factor` <= upper, row by row, in the residual's units; infinite where there is no bound.

    What cannot all be kept gives way: lower `priority` first.
    """

    __repr__ = one_line

    factor: Factor
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    priority: int = 0
