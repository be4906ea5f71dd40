"""Dynamic covariance scaling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.spatial import choose


@dataclass(frozen=True)
class DynamicCovarianceScaling:
    """Weights (2 phi / (phi + s))^2 beyond s = phi: false loop closures fade out. Agarwal et al. (2013)."""

    phi: float = 1.0

    def rho(self, s: Any) -> Any:
        """Return s, or the integral of the weight, phi (3 s - phi) / (phi + s), which is never more than 3 phi."""
        return choose(s <= self.phi, s, self.phi * (3.0 * s - self.phi) / (self.phi + s))

    def weight(self, s: Any) -> Any:
        """Return 1, or (2 phi / (phi + s))^2."""
        scale = choose(s <= self.phi, 1.0, 2.0 * self.phi / (self.phi + s))
        return scale * scale
