"""Euler's method with the new velocity for the position: order one, and no drift of energy in the mean."""

from __future__ import annotations

from screwgraph.simulation.methods.explicit import Stages
from screwgraph.simulation.system import Space


def semi_implicit(space: Space, dt, q, qd) -> Stages:
    """Take a step of the semi-implicit (symplectic) Euler method. Hairer, Lubich, Wanner (2006), (I.1.9)."""
    a = yield 0.0, q, qd
    ahead = qd + dt * a
    return space.retract(q, dt * ahead), ahead
