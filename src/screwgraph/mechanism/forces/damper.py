"""Viscous dampers between points and about angles."""

from __future__ import annotations

from typing import Any

from screwgraph.mechanism.forces.base import Influence, Motion


def dissipation(motion: Motion) -> Any:
    """Power that all dampers take (W)."""
    power: Any = 0.0
    for damper in motion.mechanism.dampers:
        if damper.angle is not None:
            rate = motion.angular_velocity(damper.angle)
            squared = rate * rate
        elif damper.points is not None:
            (x, y), (vx, vy) = motion.way(damper.points), motion.relative_velocity(damper.points)
            opening = x * vx + y * vy
            squared = opening * opening / (x * x + y * y)
        else:
            continue
        power = power + damper.damping * squared
    return power


DAMPER = Influence(dissipation=dissipation)
