"""Goals: one file each; a new one is a new file and a line in `GOALS`."""

from screwgraph.plan.goals.position import Position
from screwgraph.plan.goals.velocity import Velocity

GOALS: dict[str, type] = {"position": Position, "velocity": Velocity}

__all__ = ["GOALS", "Position", "Velocity"]
