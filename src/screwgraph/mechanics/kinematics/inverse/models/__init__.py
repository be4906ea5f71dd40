"""Models whose inverse kinematics there is."""

from screwgraph.mechanics.kinematics.inverse.models.base import InverseModel, LimitedCoordinate
from screwgraph.mechanics.kinematics.inverse.models.mechanism import MechanismModel
from screwgraph.mechanics.kinematics.inverse.models.robot import RobotModel

__all__ = ["InverseModel", "LimitedCoordinate", "MechanismModel", "RobotModel"]
