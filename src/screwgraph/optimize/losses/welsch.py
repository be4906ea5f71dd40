"""Welsch's loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.spatial import exp


@dataclass(frozen=True)
class Welsch:
    """k^2 (1 - exp(-s / k^2)): never more than k^2. Dennis & Welsch (1978); Zhang (1997), table 1."""

    k: float = 2.9846

    def rho(self, s: Any) -> Any:
        """Return k^2 (1 - exp(-s / k^2))."""
        return self.k**2 * (1.0 - exp(-s / self.k**2))

    def weight(self, s: Any) -> Any:
        """Return exp(-s / k^2)."""
        return exp(-s / self.k**2)
