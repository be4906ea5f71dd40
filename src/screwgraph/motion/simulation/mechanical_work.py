"""The work that torques and dampers did along a motion."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

EVEN = 1e-6
"""Differences of time steps, relative to a step, that printed digits explain."""


def integrate_power(
    power: Float[np.ndarray, " N"], t: Float[np.ndarray, " N"], gained: Float[np.ndarray, " N-1"] | None = None
) -> Float[np.ndarray, " N"]:
    """Return the work (J) since the beginning of powers (W) at times (s): by cubics where these are evenly spaced.

    Of order four in the time step where powers are smooth; of order two at uneven times. `gained` is the work of each
    step as it is known already, else NaN.
    """
    parts = np.full(len(t) - 1, np.nan) if gained is None else gained.copy()
    edges = np.flatnonzero(np.diff(np.isnan(parts), prepend=False, append=False))
    for first, last in edges.reshape(-1, 2):
        parts[first:last] = _parts(power[first : last + 1], t[first : last + 1])
    return np.concatenate([[0.0], np.cumsum(parts)])


def work_uncertainty(
    power: Float[np.ndarray, " N"], t: Float[np.ndarray, " N"], gained: Float[np.ndarray, " N-1"] | None = None
) -> float:
    """Return by how much (J) the work, as of `integrate_power`, depends on what powers are in between."""
    lines = (power[:-1] + power[1:]) / 2.0 * np.diff(t)
    by_lines = np.cumsum(lines if gained is None else np.where(np.isnan(gained), lines, gained))
    return float(np.abs(integrate_power(power, t, gained)[1:] - by_lines).max(initial=0.0))


def _parts(power: Float[np.ndarray, " N"], t: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N-1"]:
    """Return the work (J) of each step."""
    steps = np.diff(t)
    if np.ptp(steps) <= EVEN * steps.mean():
        return _integrals(power) * steps.mean()
    return (power[:-1] + power[1:]) / 2.0 * steps


def _integrals(f: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N-1"]:
    """Integrate over each interval of length 1, by the cubic through the four values around it."""
    if len(f) < 4:
        return (f[:-1] + f[1:]) / 2.0
    inner = (13.0 * (f[1:-2] + f[2:-1]) - f[:-3] - f[3:]) / 24.0
    edge = np.array([9.0, 19.0, -5.0, 1.0]) / 24.0
    return np.concatenate([[edge @ f[:4]], inner, [edge @ f[:-5:-1]]])
