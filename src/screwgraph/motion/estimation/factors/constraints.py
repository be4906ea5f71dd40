"""Positions, velocities and accelerations that the constraints allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.model.mechanism.equations import constraint_derivatives, residual
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.spatial import vector


@dataclass(frozen=True)
class PositionConstraints:
    """Phi(q). Blanco-Claraco et al. (2021), eq. (24)."""

    mechanism: Mechanism

    def __call__(self, q: Any) -> Any:
        """Residual (m,)."""
        return vector(residual(self.mechanism, q))


@dataclass(frozen=True)
class VelocityConstraints:
    """Phi_q qd. Blanco-Claraco et al. (2021), eq. (25)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any) -> Any:
        """Residual (m,)."""
        return vector([row.first for row in constraint_derivatives(self.mechanism, q, qd, 0.0 * q)])


@dataclass(frozen=True)
class AccelerationConstraints:
    """Phi_q qdd and the rate of Phi_q times qd. Blanco-Claraco et al. (2021), eqs. (3), (32)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, qdd: Any) -> Any:
        """Residual (m,)."""
        return vector([row.second for row in constraint_derivatives(self.mechanism, q, qd, qdd)])
