"""Costs: one file each; a new one is a new file and a line in `COSTS`."""

from screwgraph.plan.costs.acceleration import Acceleration
from screwgraph.plan.costs.effort import Effort
from screwgraph.plan.costs.path import Path
from screwgraph.plan.costs.posture import Posture
from screwgraph.plan.costs.smoothness import Smoothness
from screwgraph.plan.costs.time import Time
from screwgraph.plan.costs.velocity import Speed

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
