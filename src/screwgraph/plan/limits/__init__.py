"""Limits: one file each; a new one is a new file and a line in `LIMITS`."""

from screwgraph.plan.limits.acceleration import AccelerationLimit
from screwgraph.plan.limits.effort import EffortLimit
from screwgraph.plan.limits.position import PositionLimit
from screwgraph.plan.limits.velocity import VelocityLimit

LIMITS: dict[str, type] = {
    "position": PositionLimit,
    "velocity": VelocityLimit,
    "acceleration": AccelerationLimit,
    "effort": EffortLimit,
}

__all__ = ["LIMITS", "AccelerationLimit", "EffortLimit", "PositionLimit", "VelocityLimit"]
