"""Weights of bodies."""

from __future__ import annotations

from typing import Any

from screwgraph.mechanism.forces.base import Influence, Motion


def potential(motion: Motion) -> Any:
    """Potential energy of all bodies (J), zero in the ground's origin."""
    gx, gy = motion.mechanism.gravity
    energy: Any = 0.0
    for body in motion.mechanism.bodies:
        (x, y), (dx, dy) = motion.point(body.points[0]), motion.way(body.base)
        along, across = body.com[0] / body.length, body.com[1] / body.length
        com = x + along * dx - across * dy, y + along * dy + across * dx
        energy = energy - body.mass * (gx * com[0] + gy * com[1])
    return energy


GRAVITY = Influence(potential=potential)
