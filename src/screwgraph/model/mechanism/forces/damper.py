"""Dampers between points and about angles: viscous damping, and Coulomb friction with a smooth sign."""

from __future__ import annotations

from typing import Any

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.parts import Damper
from screwgraph.spatial import dot, sqrt, tanh

SLOW = 0.01
"""Velocity (rad/s, m/s) at which the smooth sign tanh(rate / SLOW) of friction is 0.76, as of robots' joints."""


def dissipation(motion: Motion, damper: Damper) -> Any:
    """Power that viscous damping takes (W)."""
    if damper.points is None:
        rate = motion.angular_velocity(damper.angle or 0)
        return damper.damping * (rate * rate)
    way = motion.way(damper.points)
    opening = dot(way, motion.relative_velocity(damper.points))
    return damper.damping * (opening * opening / dot(way, way))


def friction_power(motion: Motion, damper: Damper) -> Any:
    """Power of Coulomb friction (W), which is not positive: the force is -F tanh(rate / SLOW)."""
    if isinstance(damper.friction, float) and damper.friction == 0.0:
        return 0.0
    return -damper.friction * tanh((1.0 / SLOW) * damper_rate(motion.slip, damper)) * damper_rate(motion, damper)


def damper_rate(motion: Motion, damper: Damper) -> Any:
    """Return the rate of a damper's angle, or of the distance of its points (rad/s, m/s)."""
    if damper.points is None:
        return motion.angular_velocity(damper.angle or 0)
    way = motion.way(damper.points)
    return dot(way, motion.relative_velocity(damper.points)) / sqrt(dot(way, way))


DAMPER = Influence(
    parts=lambda mechanism: mechanism.dampers,
    slots=lambda mechanism, damper: coordinate_slots(mechanism, damper.points or (), damper.angle),
    dissipation=dissipation,
    power=friction_power,
)
