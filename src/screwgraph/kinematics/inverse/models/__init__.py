"""Models whose inverse kinematics there is."""

from screwgraph.kinematics.inverse.models.base import InverseModel, LimitedCoordinate
from screwgraph.kinematics.inverse.models.mechanism import MechanismModel
from screwgraph.kinematics.inverse.models.robot import RobotModel

__all__ = ["InverseModel", "LimitedCoordinate", "MechanismModel", "RobotModel"]
