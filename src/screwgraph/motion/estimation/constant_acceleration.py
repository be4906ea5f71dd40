"""Where constant accelerations lead: guesses of windows, and predictions of their next states."""

from __future__ import annotations

from typing import Any

from screwgraph.spatial.manifolds import Manifold


def extrapolate_state(positions: Manifold, dt: Any, q: Any, v: Any, a: Any, decay: Any = 0.0) -> tuple[Any, Any, Any]:
    """Return position, velocity and acceleration where an acceleration leads in a time dt (s).

    It is constant but for dampers, which take velocities to rest at the rates `decay` (1/s): Euler's implicit step,
    which does not leave where it decays. Hairer & Wanner (1996), section IV.3.
    """
    a = a / (1.0 + dt * decay)
    return positions.retract(q, dt * v + (0.5 * dt * dt) * a), v + dt * a, a
