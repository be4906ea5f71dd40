"""Truncated least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.spatial import choose


@dataclass(frozen=True)
class Truncated:
    """Quadratic up to k standard deviations, constant beyond. Blake & Zisserman (1987)."""

    k: float = 3.0

    def rho(self, s: Any) -> Any:
        """Return s, or k^2."""
        return choose(s <= self.k**2, s, self.k**2)

    def weight(self, s: Any) -> Any:
        """Return 1, or 0."""
        return choose(s <= self.k**2, 1.0, 0.0)
