"""Positions, velocities and accelerations that the constraints allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.compiler import casadi_template
from screwgraph.mechanism.factors.expressions import substituted, symbolic
from screwgraph.models.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class PositionConstraints:
    """Phi(q). Blanco-Claraco et al. (2021), eq. (24)."""

    mechanism: Mechanism

    @casadi_template
    def __call__(self, q: Any) -> Any:
        """Residual (m,)."""
        e = symbolic(self.mechanism)
        return substituted(e.residual, (e.q, q))


@dataclass(frozen=True)
class VelocityConstraints:
    """Phi_q qd. Blanco-Claraco et al. (2021), eq. (25)."""

    mechanism: Mechanism

    @casadi_template
    def __call__(self, q: Any, qd: Any) -> Any:
        """Residual (m,)."""
        e = symbolic(self.mechanism)
        return substituted(e.jacobian @ e.qd, (e.q, q), (e.qd, qd))


@dataclass(frozen=True)
class AccelerationConstraints:
    """Phi_q qdd and the rate of Phi_q times qd. Blanco-Claraco et al. (2021), eqs. (3), (32)."""

    mechanism: Mechanism

    @casadi_template
    def __call__(self, q: Any, qd: Any, qdd: Any) -> Any:
        """Residual (m,)."""
        e = symbolic(self.mechanism)
        return substituted(e.jacobian @ qdd - e.bias, (e.q, q), (e.qd, qd))
