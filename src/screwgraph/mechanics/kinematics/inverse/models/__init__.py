"""Models whose inverse kinematics there is: one file a kind; a new one is a new file and a line in `MODELS`."""

from collections.abc import Callable, Mapping
from typing import Any

from screwgraph.mechanics.kinematics.inverse.models.base import InverseModel, LimitedCoordinate
from screwgraph.mechanics.kinematics.inverse.models.mechanism import MechanismModel
from screwgraph.mechanics.kinematics.inverse.models.robot import RobotModel

MODELS: Mapping[str, Callable[[Any, tuple[str, ...]], InverseModel]] = {
    "robot": RobotModel.holding,
    "mechanism": MechanismModel.holding,
}
"""By kind of model: what makes one with names of what is held. Raises InputError."""

__all__ = ["MODELS", "InverseModel", "LimitedCoordinate", "MechanismModel", "RobotModel"]
