"""Euler's method with the new velocity for the position: order one, and no drift of energy in the mean."""

from __future__ import annotations

from screwgraph.simulation.methods.fixed import Step
from screwgraph.simulation.system import System


def semi_implicit(system: System, dt: float) -> Step:
    """Return the step of the semi-implicit (symplectic) Euler method. Hairer, Lubich, Wanner (2006), (I.1.9)."""
    f, moved = system.acceleration, system.manifold.moved

    def step(t, q, qd):
        ahead = qd + dt * f(t, q, qd)
        return moved(q, dt * ahead), ahead

    return step
