"""Constant torques on bodies and about angles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.parts import Torque

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism


def power(motion: Motion, torque: Torque) -> Any:
    """Power of a torque (W)."""
    if torque.body is None:
        return torque.value * motion.angular_velocity(torque.angle or 0)
    body = motion.mechanism.bodies[torque.body]
    (x, y), (vx, vy) = motion.way(body.base), motion.relative_velocity(body.base)
    return torque.value * (x * vy - y * vx) / (body.length * body.length)


def _slots(mechanism: Mechanism, torque: Torque) -> tuple[int, ...]:
    points = () if torque.body is None else mechanism.bodies[torque.body].base
    return coordinate_slots(mechanism, points, torque.angle if torque.body is None else None)


TORQUE = Influence(parts=lambda mechanism: mechanism.torques, slots=_slots, power=power)
