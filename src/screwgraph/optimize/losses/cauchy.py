"""Cauchy's loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.spatial import log


@dataclass(frozen=True)
class Cauchy:
    """k^2 log(1 + s / k^2): grows ever more slowly."""

    k: float = 2.385

    def rho(self, s: Any) -> Any:
        """Return k^2 log(1 + s / k^2)."""
        return self.k**2 * log(1.0 + s / self.k**2)

    def weight(self, s: Any) -> Any:
        """Return 1 / (1 + s / k^2)."""
        return 1.0 / (1.0 + s / self.k**2)
