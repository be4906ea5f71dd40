"""Accelerations that the equations of motion demand, under known forces or under torques to be found.

Their Jacobians differentiate the equations of motion, not the elimination that solves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.motion.estimation.factors.acceleration_expressions import acceleration_jacobian, solve_acceleration


@dataclass(frozen=True)
class ForwardDynamics:
    """qdd(q, qd) less qdd. Blanco-Claraco et al. (2021), eq. (26)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, qdd: Any, *, force: Any = 0.0) -> Any:
        """Residual (n,); `force` (n,) is added to the mechanism's own."""
        return solve_acceleration(self.mechanism, q, qd, force) - qdd

    def jacobian(self, q: Any, qd: Any, qdd: Any, *, force: Any = 0.0) -> Any:
        """Derivatives (n, 3n) by q, qd, qdd."""
        return _less(acceleration_jacobian(self.mechanism, q, qd, force), range(self.mechanism.n))


@dataclass(frozen=True)
class IndependentForwardDynamics:
    """zdd(q, qd) less zdd: the independent rows of the same. Blanco-Claraco et al. (2021), eqs. (15), (27)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, zdd: Any, *, force: Any = 0.0) -> Any:
        """Residual (f,); `force` (n,) is added to the mechanism's own."""
        return solve_acceleration(self.mechanism, q, qd, force)[_independent(self.mechanism)] - zdd

    def jacobian(self, q: Any, qd: Any, zdd: Any, *, force: Any = 0.0) -> Any:
        """Derivatives (f, 2n + f) by q, qd, zdd."""
        return _less(acceleration_jacobian(self.mechanism, q, qd, force), _independent(self.mechanism))


@dataclass(frozen=True)
class InverseDynamics:
    """qdd(q, qd, tau) less qdd, with torques of the motors to be found. Blanco-Claraco et al. (2021), eq. (28)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, qdd: Any, tau: Any) -> Any:
        """Residual (n,)."""
        return solve_acceleration(self.mechanism, q, qd, self.mechanism.motor_forces(tau)) - qdd

    def jacobian(self, q: Any, qd: Any, qdd: Any, tau: Any) -> Any:
        """Derivatives (n, 3n + motors) by q, qd, qdd, tau.

        Blanco-Claraco et al. (2021), eq. (47), and those that it leaves out.
        """
        slope = acceleration_jacobian(self.mechanism, q, qd, self.mechanism.motor_forces(tau), tau)
        return _less(slope, range(self.mechanism.n), len(tau))


@dataclass(frozen=True)
class IndependentInverseDynamics:
    """zdd(q, qd, tau) less zdd. Blanco-Claraco et al. (2021), eq. (29)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, zdd: Any, tau: Any) -> Any:
        """Residual (f,)."""
        force = self.mechanism.motor_forces(tau)
        return solve_acceleration(self.mechanism, q, qd, force)[_independent(self.mechanism)] - zdd

    def jacobian(self, q: Any, qd: Any, zdd: Any, tau: Any) -> Any:
        """Derivatives (f, 2n + f + motors) by q, qd, zdd, tau.

        Blanco-Claraco et al. (2021), eq. (50), and those that it leaves out.
        """
        slope = acceleration_jacobian(self.mechanism, q, qd, self.mechanism.motor_forces(tau), tau)
        return _less(slope, _independent(self.mechanism), len(tau))


def _independent(mechanism: Mechanism) -> list[int]:
    return list(mechanism.freedom.independent)


def _less(slope: Any, rows: Sequence[int], torques: int = 0) -> Any:
    """Return some rows of the accelerations' derivatives, with those by the accelerations that are taken away."""
    kept, before = slope[list(rows)], slope.shape[1] - torques
    return np.concatenate([kept[:, :before], -np.eye(len(rows)), kept[:, before:]], axis=1)
