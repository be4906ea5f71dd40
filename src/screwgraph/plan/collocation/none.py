"""Points that only costs tie together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.optimize import Manifold
from screwgraph.plan.collocation.base import Point


@dataclass(frozen=True)
class Untied:
    """No law joins the points: a smoothness prior does, as in paper 2 and GPMP2."""

    weights: tuple[float, ...] = (0.5, 0.5)

    def defects(self, positions: Manifold, points: list[Point], h: Any) -> Any:
        """Return nothing."""
        return None
