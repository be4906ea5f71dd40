"""Goals: one file each; a new one is a new file and a line in `GOALS`."""

from screwgraph.plan.goals.frame_velocity import FrameVelocity
from screwgraph.plan.goals.point import Point
from screwgraph.plan.goals.pose import Pose
from screwgraph.plan.goals.position import Position
from screwgraph.plan.goals.velocity import Velocity

GOALS: dict[str, type] = {
    "position": Position,
    "velocity": Velocity,
    "pose": Pose,
    "point": Point,
    "frame_velocity": FrameVelocity,
}

__all__ = ["GOALS", "FrameVelocity", "Point", "Pose", "Position", "Velocity"]
