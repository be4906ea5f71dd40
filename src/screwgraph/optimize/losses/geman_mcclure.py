"""Geman and McClure's loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class GemanMcClure:
    """s / (1 + s / k^2): never more than k^2. Geman & McClure (1987)."""

    k: float = 1.0

    def rho(self, s: Any) -> Any:
        """Return s / (1 + s / k^2)."""
        return s / (1.0 + s / self.k**2)

    def weight(self, s: Any) -> Any:
        """Return 1 / (1 + s / k^2)^2."""
        root = 1.0 / (1.0 + s / self.k**2)
        return root * root
