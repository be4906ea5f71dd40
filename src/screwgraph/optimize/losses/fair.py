"""Fair's loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.spatial import log, sqrt


@dataclass(frozen=True)
class Fair:
    """2 k^2 (q - log(1 + q)) with q = sqrt(s) / k: linear far out, convex. Fair (1974); Zhang (1997), table 1."""

    k: float = 1.3998

    def rho(self, s: Any) -> Any:
        """Return 2 k^2 (q - log(1 + q))."""
        q = sqrt(s) / self.k
        return 2.0 * self.k**2 * (q - log(1.0 + q))

    def weight(self, s: Any) -> Any:
        """Return 1 / (1 + q)."""
        return 1.0 / (1.0 + sqrt(s) / self.k)
