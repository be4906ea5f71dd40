"""How fast small perturbations of a motion grow, decay, and oscillate."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.simulation.system import System

NUDGE = 1e-6


def rates(system: System, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> np.ndarray:
    """Return the eigenvalues (2nv,) (1/s) of d(qd, qdd)/d(q, qd), by differences; infinite where not finite."""
    n, first, move = len(qd), system.acceleration(t, q, qd), system.manifold.retract
    J = np.zeros((2 * n, 2 * n))
    J[:n, n:] = np.eye(n)
    for i in range(n):
        along = np.zeros(n)
        along[i] = NUDGE * (1.0 + abs(qd[i]))
        J[n:, i] = (system.acceleration(t, move(q, along), qd) - first) / along[i]
        J[n:, n + i] = (system.acceleration(t, q, qd + along) - first) / along[i]
    return np.linalg.eigvals(J) if np.isfinite(J).all() else np.full(2 * n, np.inf, dtype=complex)
