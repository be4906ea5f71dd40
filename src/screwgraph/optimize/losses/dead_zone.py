"""Squares beyond a dead zone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.spatial import choose, sqrt


@dataclass(frozen=True)
class DeadZone:
    """Nothing up to k standard deviations, the square of what exceeds them beyond: a tolerance. Vapnik (1995)."""

    k: float = 1.0

    def rho(self, s: Any) -> Any:
        """Return 0, or (sqrt(s) - k)^2."""
        beyond = self._beyond(s)
        return beyond * beyond

    def weight(self, s: Any) -> Any:
        """Return 0, or 1 - k / sqrt(s)."""
        beyond = self._beyond(s)
        return beyond / (self.k + beyond)

    def _beyond(self, s: Any) -> Any:
        inside = s <= self.k**2
        return choose(inside, 0.0, sqrt(choose(inside, 1.0, s)) - self.k)
