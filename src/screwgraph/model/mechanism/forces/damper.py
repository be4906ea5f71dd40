"""Viscous dampers between points and about angles."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.parts import Damper
from screwgraph.spatial import dot


def dissipation(motion: Motion, damper: Damper) -> Any:
    """Power that a damper takes (W)."""
    if damper.points is None:
        rate = motion.angular_velocity(damper.angle or 0)
        return damper.damping * (rate * rate)
    way = motion.way(damper.points)
    opening = dot(way, motion.relative_velocity(damper.points))
    return damper.damping * (opening * opening / dot(way, way))


DAMPER = Influence(
    parts=lambda mechanism: mechanism.dampers,
    slots=lambda mechanism, damper: coordinate_slots(mechanism, damper.points or (), damper.angle),
    dissipation=dissipation,
)
