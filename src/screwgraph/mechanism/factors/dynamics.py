"""Accelerations that the equations of motion demand, under known forces or under torques to be found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.mechanism.factors.expressions import acceleration_of, torques_as_forces
from screwgraph.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class ForwardDynamics:
    """qdd(q, qd) less qdd. Paper 1 (26)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, qdd: Any, *, force: Any = 0.0) -> Any:
        """Residual (n,); `force` (n,) is added to the mechanism's own."""
        return acceleration_of(self.mechanism, q, qd, force) - qdd


@dataclass(frozen=True)
class IndependentForwardDynamics:
    """zdd(q, qd) less zdd: the independent rows of the same. Paper 1 (15), (27)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, zdd: Any, *, force: Any = 0.0) -> Any:
        """Residual (f,); `force` (n,) is added to the mechanism's own."""
        chosen = list(self.mechanism.mechanics.freedom.independent)
        return acceleration_of(self.mechanism, q, qd, force)[chosen] - zdd


@dataclass(frozen=True)
class InverseDynamics:
    """qdd(q, qd, tau) less qdd, with torques of the motors to be found. Paper 1 (28)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, qdd: Any, tau: Any) -> Any:
        """Residual (n,)."""
        return acceleration_of(self.mechanism, q, qd, torques_as_forces(self.mechanism, tau)) - qdd


@dataclass(frozen=True)
class IndependentInverseDynamics:
    """zdd(q, qd, tau) less zdd. Paper 1 (29)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, zdd: Any, tau: Any) -> Any:
        """Residual (f,)."""
        chosen = list(self.mechanism.mechanics.freedom.independent)
        return acceleration_of(self.mechanism, q, qd, torques_as_forces(self.mechanism, tau))[chosen] - zdd
