"""Constant forces on points."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.parts import Force
from screwgraph.spatial import dot


def power(motion: Motion, force: Force) -> Any:
    """Power of a force (W)."""
    return dot(force.value, motion.velocity(force.point))


FORCE = Influence(
    parts=lambda mechanism: mechanism.forces,
    slots=lambda mechanism, force: coordinate_slots(mechanism, (force.point,)),
    power=power,
)
