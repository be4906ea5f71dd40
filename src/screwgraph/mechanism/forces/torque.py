"""Constant torques on bodies and about angles."""

from __future__ import annotations

from typing import Any

from screwgraph.mechanism.forces.base import Influence, Motion


def power(motion: Motion) -> Any:
    """Power of all torques (W)."""
    total: Any = 0.0
    for torque in motion.mechanism.torques:
        if torque.angle is not None:
            total = total + torque.value * motion.angular_velocity(torque.angle)
        elif torque.body is not None:
            body = motion.mechanism.bodies[torque.body]
            (x, y), (vx, vy) = motion.way(body.base), motion.relative_velocity(body.base)
            total = total + torque.value * (x * vy - y * vx) / (body.length * body.length)
    return total


TORQUE = Influence(power=power)
