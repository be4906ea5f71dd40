"""Linear springs between points and about angles."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.parts import Spring
from screwgraph.spatial import dot, sqrt


def potential(motion: Motion, spring: Spring) -> Any:
    """Energy of a spring (J)."""
    if spring.points is None:
        stretch = motion.angle(spring.angle or 0) - spring.rest
        return 0.5 * spring.stiffness * (stretch * stretch)
    way = motion.way(spring.points)
    squared = dot(way, way)
    if not (isinstance(spring.rest, float) and spring.rest == 0.0):  # else smooth where the points meet
        stretch = sqrt(squared) - spring.rest
        squared = stretch * stretch
    return 0.5 * spring.stiffness * squared


SPRING = Influence(
    parts=lambda mechanism: mechanism.springs,
    slots=lambda mechanism, spring: coordinate_slots(mechanism, spring.points or (), spring.angle),
    potential=potential,
)
