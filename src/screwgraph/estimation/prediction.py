"""Where constant accelerations lead: guesses of windows, and predictions of their next states."""

from __future__ import annotations

from typing import Any

from screwgraph.spatial.manifolds import Manifold


def ahead(positions: Manifold, dt: Any, q: Any, v: Any, a: Any) -> tuple[Any, Any, Any]:
    """Return position and velocity where a constant acceleration leads in a time dt (s), and that."""
    return positions.retract(q, dt * v + (0.5 * dt * dt) * a), v + dt * a, a
