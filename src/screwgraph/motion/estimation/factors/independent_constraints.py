"""The same, together with what the independent coordinates are in q."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.motion.estimation.factors.constraints import (
    AccelerationConstraints,
    PositionConstraints,
    VelocityConstraints,
)
from screwgraph.spatial import concatenate


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
