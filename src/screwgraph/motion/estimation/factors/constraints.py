"""Positions, velocities and accelerations that the constraints allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.model.mechanism.equations import constraint_derivatives, residual
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.spatial import concatenate, vector


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


@dataclass(frozen=True)
class IndependentPosition:
    """Phi(q), and independent coordinates of q less z. Blanco-Claraco et al. (2021), eq. (30)."""

    mechanism: Mechanism

    def __call__(self, q: Any, z: Any) -> Any:
        """Residual (m + f,)."""
        return _with_choice(self.mechanism, PositionConstraints(self.mechanism)(q), q, z)


@dataclass(frozen=True)
class IndependentVelocity:
    """Phi_q qd, and independent coordinates of qd less zd. Blanco-Claraco et al. (2021), eq. (31)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, zd: Any) -> Any:
        """Residual (m + f,)."""
        return _with_choice(self.mechanism, VelocityConstraints(self.mechanism)(q, qd), qd, zd)


@dataclass(frozen=True)
class IndependentAcceleration:
    """Phi_q qdd and the rate of Phi_q times qd, and independent coordinates of qdd less zdd.

    Blanco-Claraco et al. (2021), eq. (32).
    """

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, qdd: Any, zdd: Any) -> Any:
        """Residual (m + f,)."""
        return _with_choice(self.mechanism, AccelerationConstraints(self.mechanism)(q, qd, qdd), qdd, zdd)


def _with_choice(mechanism: Mechanism, residual: Any, x: Any, z: Any) -> Any:
    return concatenate(residual, x[list(mechanism.freedom.independent)] - z)
