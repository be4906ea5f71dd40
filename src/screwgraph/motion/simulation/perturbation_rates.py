"""How fast small perturbations of a motion grow, decay, and oscillate."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.motion.simulation.system import System

NUDGE = 1e-6


def perturbation_rates(
    system: System, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]
) -> np.ndarray:
    """Return the eigenvalues (2nv,) (1/s) of d(qd, qdd)/d(q, qd), by differences; infinite where not finite."""
    n, move = len(qd), system.manifold.retract
    along = NUDGE * np.diag(1.0 + np.abs(qd))
    at = np.array([q, *(move(q, step) for step in along), *([q] * n)])
    first, *others = system.accelerations(t, at, qd + np.concatenate([np.zeros((n + 1, n)), along]))
    J = np.zeros((2 * n, 2 * n))
    J[:n, n:] = np.eye(n)
    J[n:] = ((np.array(others) - first) / np.tile(along.diagonal(), 2)[:, None]).T
    return np.linalg.eigvals(J) if np.isfinite(J).all() else np.full(2 * n, np.inf, dtype=complex)
