"""The work that torques and dampers did along a motion."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

EVEN = 1e-6
"""Differences of time steps, relative to a step, that printed digits explain."""


def integrated(power: Float[np.ndarray, " N"], t: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N"]:
    """Return the work (J) since the beginning of powers (W) at times (s): by cubics where these are evenly spaced.

    Of order four in the time step where powers are smooth; of order two at uneven times.
    """
    steps = np.diff(t)
    is_even = not len(steps) or np.ptp(steps) <= EVEN * steps.mean()
    parts = _integrals(power) if is_even else (power[:-1] + power[1:]) / 2.0
    return np.concatenate([[0.0], np.cumsum(parts * (steps.mean() if is_even and len(steps) else steps))])


def uncertainty(power: Float[np.ndarray, " N"], t: Float[np.ndarray, " N"]) -> float:
    """Return by how much (J) the work of powers (W) at times (s) depends on what these are in between."""
    by_lines = np.concatenate([[0.0], np.cumsum((power[:-1] + power[1:]) / 2.0 * np.diff(t))])
    return float(np.abs(integrated(power, t) - by_lines).max())


def _integrals(f: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N-1"]:
    """Integrate over each interval of length 1, by the cubic through the four values around it."""
    if len(f) < 4:
        return (f[:-1] + f[1:]) / 2.0
    inner = (13.0 * (f[1:-2] + f[2:-1]) - f[:-3] - f[3:]) / 24.0
    edge = np.array([9.0, 19.0, -5.0, 1.0]) / 24.0
    return np.concatenate([[edge @ f[:4]], inner, [edge @ f[:-5:-1]]])
