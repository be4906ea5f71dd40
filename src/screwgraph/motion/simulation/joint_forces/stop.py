"""Ends of a joint's range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number

REACHED = 1e-6
"""Distance (rad, m) from an end within which it is reached: stops are as yielding as their inertia is finite."""


@dataclass(frozen=True)
class Stop:
    """No motion beyond `lower` and `upper` (rad, m), which may be infinite; the joint does not bounce.

    The force of a step takes away the velocity that is too much for the position at its end to be in range, as if an
    `inertia` (kg m^2, kg) far above the robot's were there. Inelastic impacts: Moreau (1988), section 9. A joint that
    begins out of range goes no further, and is not pushed back.
    """

    lower: float
    upper: float
    inertia: float

    def tangent(self, q: Number, qd: Number, v: Number, dt: Number) -> tuple[Number, Number]:
        steep, c, D = self.inertia / dt, 0.0, 0.0
        if np.isfinite(self.lower):
            slowest = minimum((self.lower - q) / dt, 0.0)
            below = v <= slowest
            c, D = choose(below, steep * slowest, c), choose(below, steep, D)
        if np.isfinite(self.upper):
            fastest = maximum((self.upper - q) / dt, 0.0)
            above = v >= fastest
            c, D = choose(above, steep * fastest, c), choose(above, steep, D)
        return c, D

    def onward(self, v: Number, found: Number) -> Number:
        return found

    def safe(self, q: Number, qd: Number, v: Number, found: Number, dt: Number) -> tuple[Number, Number]:
        """Limit the velocity at the end, where a stop acts, to the one that reaches it."""
        return self.tangent(q, qd, found, dt)

    def bounds(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Any force away from an end of the range that is reached."""
        below, above = q <= self.lower + REACHED, q >= self.upper - REACHED
        return np.where(above, -np.inf, 0.0), np.where(below, np.inf, 0.0)
