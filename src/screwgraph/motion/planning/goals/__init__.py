"""Goals: one file each; a new one is a new file and a line in `GOALS`."""

from screwgraph.motion.planning.goals.acceleration import Acceleration
from screwgraph.motion.planning.goals.direction import Direction
from screwgraph.motion.planning.goals.frame_velocity import FrameVelocity
from screwgraph.motion.planning.goals.point import Point
from screwgraph.motion.planning.goals.pose import Pose
from screwgraph.motion.planning.goals.position import Position
from screwgraph.motion.planning.goals.velocity import Velocity

GOALS: dict[str, type] = {
    "position": Position,
    "velocity": Velocity,
    "acceleration": Acceleration,
    "pose": Pose,
    "point": Point,
    "direction": Direction,
    "frame_velocity": FrameVelocity,
}

__all__ = ["GOALS", "Acceleration", "Direction", "FrameVelocity", "Point", "Pose", "Position", "Velocity"]
