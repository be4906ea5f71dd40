"""Constant forces on points."""

from __future__ import annotations

from typing import Any

from screwgraph.mechanism.forces.base import Influence, Motion


def power(motion: Motion) -> Any:
    """Power of all forces (W)."""
    total: Any = 0.0
    for force in motion.mechanism.forces:
        vx, vy = motion.velocity(force.point)
        total = total + force.value[0] * vx + force.value[1] * vy
    return total


FORCE = Influence(power=power)
