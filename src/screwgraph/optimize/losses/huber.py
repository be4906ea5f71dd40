"""Huber's loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.spatial import choose, sqrt


@dataclass(frozen=True)
class Huber:
    """Quadratic up to k standard deviations, linear beyond. Huber (1964)."""

    k: float = 1.345

    def rho(self, s: Any) -> Any:
        """Return s, or 2 k sqrt(s) - k^2."""
        inside = s <= self.k**2
        return choose(inside, s, 2.0 * self.k * sqrt(choose(inside, 1.0, s)) - self.k**2)

    def weight(self, s: Any) -> Any:
        """Return 1, or k / sqrt(s)."""
        inside = s <= self.k**2
        return choose(inside, 1.0, self.k / sqrt(choose(inside, 1.0, s)))
