"""Constant torques on bodies and about angles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.parts import Torque
from screwgraph.spatial import dot

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism


def power(motion: Motion, torque: Torque) -> Any:
    """Power of a torque (W)."""
    if torque.body is None:
        return torque.value * motion.angular_velocity(torque.angle or 0)
    turning = motion.turning(motion.mechanism.bodies[torque.body])
    return dot(torque.value if len(turning) > 1 else (torque.value,), turning)


def _slots(mechanism: Mechanism, torque: Torque) -> tuple[int, ...]:
    points = () if torque.body is None else mechanism.bodies[torque.body].ends
    return coordinate_slots(mechanism, points, torque.angle if torque.body is None else None)


TORQUE = Influence(parts=lambda mechanism: mechanism.torques, slots=_slots, power=power)
