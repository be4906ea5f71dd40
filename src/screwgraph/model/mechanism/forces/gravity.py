"""Weights of bodies."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.parts import Body
from screwgraph.spatial import dot


def potential(motion: Motion, body: Body) -> Any:
    """Potential energy of a body (J), zero in the ground's origin."""
    return -(body.mass * dot(motion.mechanism.gravity, motion.place(body, body.com)))


GRAVITY = Influence(
    parts=lambda mechanism: mechanism.bodies,
    slots=lambda mechanism, body: coordinate_slots(mechanism, body.ends),
    potential=potential,
)
