"""Costs: one file each; a new one is a new file and a line in `COSTS`."""

from screwgraph.motion.planning.costs.acceleration import Acceleration
from screwgraph.motion.planning.costs.effort import Effort
from screwgraph.motion.planning.costs.path import Path
from screwgraph.motion.planning.costs.posture import Posture
from screwgraph.motion.planning.costs.potential import Potential
from screwgraph.motion.planning.costs.smoothness import Smoothness
from screwgraph.motion.planning.costs.time import Time
from screwgraph.motion.planning.costs.velocity import Speed

COSTS: dict[str, type] = {
    "effort": Effort,
    "acceleration": Acceleration,
    "velocity": Speed,
    "smoothness": Smoothness,
    "time": Time,
    "posture": Posture,
    "potential": Potential,
    "path": Path,
}

__all__ = ["COSTS", "Acceleration", "Effort", "Path", "Posture", "Potential", "Smoothness", "Speed", "Time"]
