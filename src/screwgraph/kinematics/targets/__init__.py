"""Targets of inverse kinematics, one a file."""

from typing import TYPE_CHECKING

from screwgraph.deprecated import old_names
from screwgraph.kinematics.targets.base import Target, TargetResidual, TargetValue
from screwgraph.kinematics.targets.center_of_mass import CenterOfMass
from screwgraph.kinematics.targets.orientation import Orientation
from screwgraph.kinematics.targets.point import Point
from screwgraph.kinematics.targets.pose import Pose
from screwgraph.kinematics.targets.posture import Posture

__all__ = ["CenterOfMass", "Orientation", "Point", "Pose", "Posture", "Target", "TargetResidual", "TargetValue"]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
