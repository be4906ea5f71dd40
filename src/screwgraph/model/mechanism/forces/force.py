"""Constant forces on points."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.parts import Force


def power(motion: Motion, force: Force) -> Any:
    """Power of a force (W)."""
    vx, vy = motion.velocity(force.point)
    return force.value[0] * vx + force.value[1] * vy


FORCE = Influence(
    parts=lambda mechanism: mechanism.forces,
    slots=lambda mechanism, force: coordinate_slots(mechanism, (force.point,)),
    power=power,
)
