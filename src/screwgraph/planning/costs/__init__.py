"""Costs: one file each; a new one is a new file and a line in `COSTS`."""

from screwgraph.planning.costs.acceleration import Acceleration
from screwgraph.planning.costs.effort import Effort
from screwgraph.planning.costs.path import Path
from screwgraph.planning.costs.posture import Posture
from screwgraph.planning.costs.smoothness import Smoothness
from screwgraph.planning.costs.time import Time
from screwgraph.planning.costs.velocity import Speed

COSTS: dict[str, type] = {
    "effort": Effort,
    "acceleration": Acceleration,
    "velocity": Speed,
    "smoothness": Smoothness,
    "time": Time,
    "posture": Posture,
    "path": Path,
}

__all__ = ["COSTS", "Acceleration", "Effort", "Path", "Posture", "Smoothness", "Speed", "Time"]
