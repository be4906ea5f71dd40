"""Weights of bodies."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.parts import Body


def potential(motion: Motion, body: Body) -> Any:
    """Potential energy of a body (J), zero in the ground's origin."""
    gx, gy = motion.mechanism.gravity
    (x, y), (dx, dy) = motion.point(body.points[0]), motion.way(body.base)
    along, across = body.com[0] / body.length, body.com[1] / body.length
    com = x + along * dx - across * dy, y + along * dy + across * dx
    return -(body.mass * (gx * com[0] + gy * com[1]))


GRAVITY = Influence(
    parts=lambda mechanism: mechanism.bodies,
    slots=lambda mechanism, body: coordinate_slots(mechanism, body.base),
    potential=potential,
)
