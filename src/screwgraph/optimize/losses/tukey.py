"""Tukey's biweight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.spatial import choose


@dataclass(frozen=True)
class Tukey:
    """Constant beyond k standard deviations: outliers have no pull at all. Beaton & Tukey (1974)."""

    k: float = 4.685

    def rho(self, s: Any) -> Any:
        """Return k^2 / 3 (1 - (1 - s / k^2)^3), or k^2 / 3."""
        inside = 1.0 - s / self.k**2
        return self.k**2 / 3.0 * choose(s <= self.k**2, 1.0 - inside * inside * inside, 1.0)

    def weight(self, s: Any) -> Any:
        """Return (1 - s / k^2)^2, or 0."""
        inside = 1.0 - s / self.k**2
        return choose(s <= self.k**2, inside * inside, 0.0)
