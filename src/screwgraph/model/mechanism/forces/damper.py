"""Viscous dampers between points and about angles."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.parts import Damper


def dissipation(motion: Motion, damper: Damper) -> Any:
    """Power that a damper takes (W)."""
    if damper.points is None:
        rate = motion.angular_velocity(damper.angle or 0)
        return damper.damping * (rate * rate)
    (x, y), (vx, vy) = motion.way(damper.points), motion.relative_velocity(damper.points)
    opening = x * vx + y * vy
    return damper.damping * (opening * opening / (x * x + y * y))


DAMPER = Influence(
    parts=lambda mechanism: mechanism.dampers,
    slots=lambda mechanism, damper: coordinate_slots(mechanism, damper.points or (), damper.angle),
    dissipation=dissipation,
)
