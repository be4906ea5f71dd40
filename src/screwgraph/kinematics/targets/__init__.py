"""Targets of inverse kinematics, one a file."""

from screwgraph.kinematics.targets.base import Moving, Rows, Target
from screwgraph.kinematics.targets.center_of_mass import CenterOfMass
from screwgraph.kinematics.targets.orientation import Orientation
from screwgraph.kinematics.targets.point import Point
from screwgraph.kinematics.targets.pose import Pose
from screwgraph.kinematics.targets.posture import Posture

__all__ = ["CenterOfMass", "Moving", "Orientation", "Point", "Pose", "Posture", "Rows", "Target"]
