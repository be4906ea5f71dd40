"""Targets of inverse kinematics, one a file."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.mechanics.kinematics.targets.base import Target, TargetResidual, TargetValue
from screwgraph.mechanics.kinematics.targets.center_of_mass import CenterOfMass
from screwgraph.mechanics.kinematics.targets.direction import Direction
from screwgraph.mechanics.kinematics.targets.orientation import Orientation
from screwgraph.mechanics.kinematics.targets.point import Point
from screwgraph.mechanics.kinematics.targets.pose import Pose
from screwgraph.mechanics.kinematics.targets.posture import Posture

__all__ = [
    "CenterOfMass",
    "Direction",
    "Orientation",
    "Point",
    "Pose",
    "Posture",
    "Target",
    "TargetResidual",
    "TargetValue",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
