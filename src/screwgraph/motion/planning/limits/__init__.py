"""Limits: one file each; a new one is a new file and a line in `LIMITS`."""

from screwgraph.motion.planning.limits.acceleration import AccelerationLimit
from screwgraph.motion.planning.limits.effort import EffortLimit
from screwgraph.motion.planning.limits.jerk import JerkLimit
from screwgraph.motion.planning.limits.position import PositionLimit
from screwgraph.motion.planning.limits.velocity import VelocityLimit

LIMITS: dict[str, type] = {
    "position": PositionLimit,
    "velocity": VelocityLimit,
    "acceleration": AccelerationLimit,
    "jerk": JerkLimit,
    "effort": EffortLimit,
}

__all__ = ["LIMITS", "AccelerationLimit", "EffortLimit", "JerkLimit", "PositionLimit", "VelocityLimit"]
